import PlatformImage
import Testing

/// The public result of a decode.
enum DecodeResult: Equatable {
    case image(pixels: [UInt8], DecodeStatus, [DecodeWarning])
    case failure(DecodeError.Code, String)

    /// - Parameter libraries: True decodes with the libraries only, false also with the native decoders.
    init(of bytes: [UInt8], libraries: Bool) {
        var options = DecodeOptions.asStored
        options.usesLibrariesAlone = libraries
        do throws(DecodeError) {
            let image = try ImageDecoder(options: options).decode(bytes)
            self = .image(pixels: image.bitmap.copyBytes(), image.status, image.header.warnings)
        } catch {
            self = .failure(error.code, error.message)
        }
    }

    /// RGBA bytes; empty after a failure.
    var pixels: [UInt8] {
        if case .image(let pixels, _, _) = self { pixels } else { [] }
    }

    var isComplete: Bool {
        if case .image(_, .complete, _) = self { true } else { false }
    }
}

/// Expects equal results of the native decoder and the library; returns the native result.
@discardableResult
func expectNativeMatchesLibrary(_ bytes: [UInt8], _ what: @autoclosure () -> String) -> DecodeResult {
    let native = DecodeResult(of: bytes, libraries: false)
    if native != DecodeResult(of: bytes, libraries: true) {
        Issue.record("native decoder and library differ: \(what())")
    }
    return native
}
