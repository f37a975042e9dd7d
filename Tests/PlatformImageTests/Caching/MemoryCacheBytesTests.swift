import Foundation
import Testing

@testable import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A sanitizer reserves terabytes and maps more whenever the program maps: then address space tells nothing.
private let addressSpaceIsOurs = addressSpaceBytes() > 0 && addressSpaceBytes() < 1 << 40

/// What the cache counts against what the system gave.
@Suite struct MemoryCacheBytesTests {
    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
    private static let mappedFrom = PixelStorage.mappedFrom

    /// Pixels from the heap: the allocator's own rounding is the only difference.
    @Test(arguments: [4, 24, 4_000, 4_096, 131_072, 1 << 20, (1 << 20) + 4, mappedFrom - 4_096, mappedFrom - 4])
    func aSmallBitmapTakesLessThanAPageMoreThanItCounts(_ byteCount: Int) throws {
        let storage = try #require(PixelStorage(byteCount: byteCount, zeroed: true))
        #if os(Linux)
        let usable = storage.withMutablePointer { usableBytes($0) }

        #expect(usable >= byteCount && usable - byteCount < Self.pageBytes)
        #endif
        #expect(storage.byteCount == byteCount)
    }

    /// Mapped pixels, in a process of its own that maps nothing else: address space grows by whole pages a bitmap, and
    /// not by the two MiB that they are aligned to. A thread of the runtime that begins or ends meanwhile has a stack,
    /// so what is wrong is measured again: what bitmaps take, they take each time.
    @Test(.enabled(if: addressSpaceIsOurs)) func aLargeBitmapTakesLessThanAPageMoreThanItCounts() async {
        await #expect(processExitsWith: .success) {
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            for extra in [0, 4, page - 4, page, (1 << 20) + 4] {
                let byteCount = PixelStorage.mappedFrom + extra
                // Bytes that 32 of them take, and bytes that are left of them.
                func growth() -> (taken: Int, left: Int) {
                    var storages: [PixelStorage] = []
                    storages.reserveCapacity(32)
                    let before = addressSpaceBytes()
                    for _ in 0..<32 {
                        guard let storage = PixelStorage(byteCount: byteCount, zeroed: true) else { fatalError() }
                        storages.append(storage)
                    }
                    let taken = addressSpaceBytes() - before
                    storages = []
                    PixelPool.shared.removeAll()
                    return (taken, addressSpaceBytes() - before)
                }
                let right = 32 * byteCount..<32 * (byteCount + page)
                var (taken, left) = growth()
                for _ in 0..<9 where !right.contains(taken) || left >= page { (taken, left) = growth() }
                precondition(right.contains(taken), "\(taken) bytes for 32 x \(byteCount)")
                precondition(left < page, "\(left) bytes are left of \(byteCount)")
            }
        }
    }

    /// The pool cuts a kept mapping to what is asked for, so one that is used again is no exception.
    @Test(.enabled(if: addressSpaceIsOurs)) func aBitmapInAPooledBufferTakesLessThanAPageMoreThanItCounts() async {
        await #expect(processExitsWith: .success) {
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            /// Bytes that go back when a small bitmap gets the buffer of a large one.
            func given() -> Int {
                var large = PixelStorage(byteCount: PixelStorage.mappedFrom * 2, zeroed: true)
                let before = addressSpaceBytes()
                large = nil
                precondition(large == nil && PixelPool.shared.byteCount == PixelStorage.mappedFrom * 2)

                let small = PixelStorage(byteCount: PixelStorage.mappedFrom + 4, zeroed: false)

                let given = before - addressSpaceBytes()
                precondition(small != nil && PixelPool.shared.byteCount == 0)
                return given
            }
            // A thread of the runtime may begin or end meanwhile, with its stack.
            let expected = PixelStorage.mappedFrom - page
            let measured = (0..<10).map { _ in
                defer { PixelPool.shared.removeAll() }
                return given()
            }
            precondition(measured.contains(expected), "\(measured) bytes went back")
        }
    }
}

#if os(Linux)
// <malloc.h> is in no module.
@_silgen_name("malloc_usable_size")
private func usableBytes(_ allocation: UnsafeMutableRawPointer) -> Int
#endif

/// `VmSize` in `/proc/self/status`, in bytes; 0 where it is not there.
private func addressSpaceBytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmSize:") }
    let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return kibibytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}
