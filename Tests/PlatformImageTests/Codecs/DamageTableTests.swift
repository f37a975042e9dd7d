import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compares the decoded part of damaged files with the tables of `Docs/conformance.md`.
@Suite struct DamageTableTests {
    private enum Damage: String, CaseIterable {
        case wrongByte = "wrong byte"
        case cut

        /// Applies the damage at 60 % of the length of the file.
        func apply(to bytes: [UInt8]) -> [UInt8] {
            let position = bytes.count * 6 / 10
            var damaged = bytes
            switch self {
            case .wrongByte: damaged[position] ^= 0x55
            case .cut: damaged.removeLast(bytes.count - position)
            }
            return damaged
        }
    }

    private static let document = Fixture.folder.deletingLastPathComponent().appending(path: "Docs/conformance.md")

    @Test(arguments: Fixture.all.filter { $0.path.hasPrefix("damage/") })
    func damageTablesOfTheConformanceDocumentMatchTheDecoder(_ fixture: Fixture) throws {
        let lines = try String(contentsOf: Self.document, encoding: .utf8).split(separator: "\n")

        for damage in Damage.allCases {
            let measured = try line(fixture, damage)
            print(measured)
            #expect(lines.contains { $0.hasPrefix(measured) }, "\(measured)")
        }
    }

    private func line(_ fixture: Fixture, _ damage: Damage) throws -> String {
        let intact = try fixture.load()
        let damaged = damage.apply(to: intact)
        let name = fixture.path.dropFirst("damage/".count)
        if fixture.animation != nil {
            let (expected, _) = try frames(of: intact)
            let (shown, end) = try frames(of: damaged)
            let whole = zip(shown, expected).filter { $0 == $1 }.count
            return "| \(name) | \(damage.rawValue) | \(end) | \(whole) of \(expected.count) | \(shown.count) |"
        }
        let decoder = ImageDecoder(options: .asStored)
        let expected = try decoder.decode(intact).bitmap
        let image = try decoder.decode(damaged)
        let (width, height) = (expected.width, expected.height)
        var (rows, same, clear) = (0, 0, 0)
        for y in 0..<height {
            let equal = (0..<width).filter { image.bitmap[$0, y] == expected[$0, y] }.count
            rows += equal == width ? 1 : 0
            same += equal
            clear += (0..<width).filter { image.bitmap[$0, y].alpha == 0 && expected[$0, y].alpha != 0 }.count
        }
        let pixels = width * height
        return
            "| \(name) | \(damage.rawValue) | \(word(image.status)) | \(rows) of \(height) | "
            + "\(same * 100 / pixels) % | \(clear * 100 / pixels) % | \((pixels - same - clear) * 100 / pixels) % |"
    }

    private func word(_ status: DecodeStatus) -> String {
        switch status {
        case .complete: "complete"
        case .truncated(let rows): "truncated(\(rows))"
        case .corrupt: "corrupt"
        }
    }

    /// The decoded canvases, and the status or error code at the end of the animation.
    private func frames(of bytes: [UInt8]) throws -> ([[UInt8]], String) {
        var shown: [[UInt8]] = []
        let frames = try ImageDecoder(options: .asStored).frames(of: bytes)
        do throws(DecodeError) {
            while let frame = try frames.next() { shown.append(frame.bitmap.copyBytes()) }
            return (shown, word(frames.status))
        } catch {
            return (shown, "\(error.code)")
        }
    }
}
