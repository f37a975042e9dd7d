// libFuzzer target for entries of the disk cache: files as they are, and files with valid checksums around hostile
// metadata; the freshness of the entries is computed. SwiftPM renames the function `main` of an executable, so this
// file calls `LLVMFuzzerRunDriver` explicitly.

import PlatformImageLoader

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    DiskFuzzing.read([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
}

@main struct FuzzDisk {
    static func main() {
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
