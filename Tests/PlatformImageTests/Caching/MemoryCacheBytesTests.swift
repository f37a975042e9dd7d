import Foundation
import Testing

@testable import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Sanitizers reserve terabytes of address space and add mappings, so the size of the address space is not a usable
/// measure.
private let addressSpaceIsMeasurable = addressSpaceBytes() > 0 && addressSpaceBytes() < 1 << 40

/// Compares the byte counts of the cache with the memory allocated by the system.
@Suite struct MemoryCacheBytesTests {
    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
    private static let mappedFrom = PixelStorage.mappedFrom

    /// Pixels on the heap: the rounding of the allocator is the only difference between allocated bytes and
    /// `byteCount`.
    @Test(arguments: [4, 24, 4_000, 4_096, 131_072, 1 << 20, (1 << 20) + 4, mappedFrom - 4_096, mappedFrom - 4])
    func heapBitmapAllocatesLessThanOnePageMoreThanItsByteCount(_ byteCount: Int) throws {
        let storage = try #require(PixelStorage(byteCount: byteCount, zeroed: true))
        #if os(Linux)
        let usable = storage.withMutablePointer { usableBytes($0) }

        #expect(usable >= byteCount && usable - byteCount < Self.pageBytes)
        #endif
        #expect(storage.byteCount == byteCount)
    }

    /// Mapped pixels are measured in a dedicated process. Each bitmap adds whole pages of address space, not the 2 MiB
    /// of its alignment. A runtime thread that starts or ends during a measurement changes the address space by the
    /// size of its stack, so a failed measurement is repeated.
    @Test(.enabled(if: addressSpaceIsMeasurable))
    func mappedBitmapAllocatesLessThanOnePageMoreThanItsByteCount() async {
        await #expect(processExitsWith: .success) {
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            for extra in [0, 4, page - 4, page, (1 << 20) + 4] {
                let byteCount = PixelStorage.mappedFrom + extra
                // Bytes that 32 bitmaps allocate, and bytes that remain allocated after their release.
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
                precondition(right.contains(taken), "\(taken) bytes allocated for 32 bitmaps of \(byteCount) bytes")
                precondition(left < page, "\(left) bytes are still allocated after all bitmaps were released")
            }
        }
    }

    /// The pool unmaps the surplus pages of a reused mapping.
    @Test(.enabled(if: addressSpaceIsMeasurable)) func reusedPoolBufferIsTrimmedToTheRequestedPages() async {
        await #expect(processExitsWith: .success) {
            let page = Int(sysconf(Int32(_SC_PAGESIZE)))
            /// Bytes that are unmapped when a small bitmap reuses the buffer of a large one.
            func unmappedByteCount() -> Int {
                var large = PixelStorage(byteCount: PixelStorage.mappedFrom * 2, zeroed: true)
                let before = addressSpaceBytes()
                large = nil
                precondition(large == nil && PixelPool.shared.byteCount == PixelStorage.mappedFrom * 2)

                let small = PixelStorage(byteCount: PixelStorage.mappedFrom + 4, zeroed: false)

                let given = before - addressSpaceBytes()
                precondition(small != nil && PixelPool.shared.byteCount == 0)
                return given
            }
            // A runtime thread and its stack may appear or disappear during a measurement, so it is sufficient
            // that one of ten measurements has the expected value.
            let expected = PixelStorage.mappedFrom - page
            let measured = (0..<10).map { _ in
                defer { PixelPool.shared.removeAll() }
                return unmappedByteCount()
            }
            precondition(measured.contains(expected), "unmapped bytes: \(measured), expected \(expected)")
        }
    }
}

#if os(Linux)
// No Clang module contains <malloc.h>, so the function is declared here.
@_silgen_name("malloc_usable_size")
private func usableBytes(_ allocation: UnsafeMutableRawPointer) -> Int
#endif

/// `VmSize` of `/proc/self/status` in bytes; 0 if it is missing.
private func addressSpaceBytes() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmSize:") }
    let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return kibibytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}
