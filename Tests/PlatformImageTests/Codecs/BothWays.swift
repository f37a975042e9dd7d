import PlatformImage
import Testing

/// The public result of a decode.
enum Outcome: Equatable {
    case picture(pixels: [UInt8], DecodeStatus, [DecodeWarning])
    case failure(DecodeError.Code, String)

    /// - Parameter libraries: Uses libraries only, without the native decoders.
    init(of bytes: [UInt8], libraries: Bool) {
        var options = DecodeOptions.asStored
        options.usesLibrariesAlone = libraries
        do throws(DecodeError) {
            let image = try ImageDecoder(options: options).decode(bytes)
            self = .picture(pixels: image.bitmap.copyBytes(), image.status, image.header.warnings)
        } catch {
            self = .failure(error.code, error.message)
        }
    }

    /// Empty after a failure.
    var pixels: [UInt8] {
        if case .picture(let pixels, _, _) = self { pixels } else { [] }
    }

    var isComplete: Bool {
        if case .picture(_, .complete, _) = self { true } else { false }
    }
}

/// Expects equal results of the native decoder and the library; returns the native result.
@discardableResult
func expectBothWaysAgree(_ bytes: [UInt8], _ what: @autoclosure () -> String) -> Outcome {
    let own = Outcome(of: bytes, libraries: false)
    if own != Outcome(of: bytes, libraries: true) { Issue.record("both ways differ: \(what())") }
    return own
}
