import PlatformImage
import Testing

/// What a decode gives, in all that a caller can see.
enum Outcome: Equatable {
    case picture(pixels: [UInt8], DecodeStatus, [DecodeWarning])
    case failure(DecodeError.Code, String)

    /// - Parameter libraries: Leaves out the own ways of decoding.
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

/// The own way and the library give the same; returns what that is.
@discardableResult
func expectBothWaysAgree(_ bytes: [UInt8], _ what: @autoclosure () -> String) -> Outcome {
    let own = Outcome(of: bytes, libraries: false)
    if own != Outcome(of: bytes, libraries: true) { Issue.record("both ways differ: \(what())") }
    return own
}
