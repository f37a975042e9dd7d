#if os(Linux)
import PlatformImageTestSupport
import Testing

/// Commands that convert pixels for the output use one bitmap, not two.
@Suite struct BandMemoryTests {
    /// A bitmap of 1 bit per pixel, 8,000 x 8,000: 8 MB in the file, 256 MB decoded.
    private static let bitmap: [UInt8] = {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let rows = 8_000 * 1_000
        let start = 62
        return Array("BM".utf8) + little(start + rows) + little(0) + little(start) + little(40) + little(8_000)
            + little(8_000) + [1, 0, 1, 0] + little(0) + little(rows) + little(0) + little(0) + little(2) + little(0)
            + [0x20, 0x40, 0x60, 0, 0xF0, 0xE0, 0xD0, 0] + [UInt8](repeating: 0b1011_0001, count: rows)
    }()

    /// RLIMIT_DATA counts every private writable page (Linux 4.7 and later); a second copy exceeds the limit.
    @Test(.requirement("X13"), arguments: ["--digest", "--format raw --premultiplied --output /dev/null"])
    func decodeCommandNeedsNoSecondCopyOfThePixels(_ options: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.bitmap, to: "large.bmp")

        let run = try ToolRun(shell: "ulimit -d 400000 && \"$TOOL\" decode \(options) '\(path)'")

        #expect(run.exitCode == 0, "\(run.errors)")
    }
}
#endif
