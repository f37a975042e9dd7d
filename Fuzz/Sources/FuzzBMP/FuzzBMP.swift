// libFuzzer target for the Swift parsers. SwiftPM renames the function `main` of an executable, so this file calls
// `LLVMFuzzerRunDriver` explicitly.

import PlatformImage

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    _ = ImageSignature(of: bytes.span)
    _ = EXIF(bytes.span)
    var options = DecodeOptions.asStored
    options.limits.maxPixels = 16_000_000
    options.limits.maxMemory = 128 << 20
    options.strictness = bytes.last == 0xFF ? .corrupt : .lenient
    let decoder = ImageDecoder(options: options)
    guard let header = try? decoder.header(of: bytes, as: .bmp), header.format == .bmp else { return 0 }
    do {
        let image = try decoder.decode(bytes, as: .bmp)
        precondition(image.bitmap.width == header.width && image.bitmap.height == header.height)
        if case .truncated(let rows) = image.status { precondition(rows >= 0 && rows <= header.height) }
        // The pixels must not depend on the previous content of their memory, so two decodes must be equal.
        let again = try decoder.decode(bytes, as: .bmp)
        precondition(image.bitmap.copyBytes() == again.bitmap.copyBytes())
    } catch {
        precondition(error.code != .internal)
    }
    return 0
}

@main struct FuzzBMP {
    static func main() {
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
