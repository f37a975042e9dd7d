// libFuzzer target for request targets of the thumbnail service: each dialect with a source of any size; the request is
// planned and written again. SwiftPM renames the function `main` of an executable, so this file calls
// `LLVMFuzzerRunDriver` explicitly.

import PlatformImageService

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    TargetFuzzing.read([UInt8](UnsafeBufferPointer(start: data, count: size)))
    return 0
}

@main struct FuzzTarget {
    static func main() {
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
