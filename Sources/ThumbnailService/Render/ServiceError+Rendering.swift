#if Service
import PlatformImage

extension ServiceError {
    /// What a client is told when there is no picture.
    init(_ error: DecodeError) {
        switch error.code {
        case .limitExceeded where error.detail == "deadline":
            self.init(.deadline, "the deadline passed while the picture was made")
        case .limitExceeded:
            self.init(.limit, "the source is over the limit \(error.detail ?? "of the decoder")")
        case .cancelled: self.init(.deadline, "the work was cancelled")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "there is no memory left")
        case .invalidArgument: self.init(.malformed, error.message)
        case .emptyCrop: self.init(.malformed, "the region lies outside the picture")
        case .unsupported: self.init(.notAnImage, "\(error.detail ?? "this kind of picture") is not supported")
        case .internal: self.init(.internalFault, "the decoder failed")
        default: self.init(.notAnImage, "the source is not a picture that can be decoded (\(error.code))")
        }
    }

    /// What a client is told when the picture cannot be written.
    init(_ error: EncodeError) {
        switch error.code {
        case .cancelled: self.init(.deadline, "the work was cancelled")
        case .deadlinePassed: self.init(.deadline, "the deadline passed while the picture was written")
        case .outOfMemory: self.init(.overloaded, retryAfter: 1, "there is no memory left")
        case .invalidArgument: self.init(.malformed, error.message)
        case .tooLarge: self.init(.limit, "\(error.format.rawValue) has no room for so many pixels")
        default: self.init(.internalFault, "the encoder failed")
        }
    }
}
#endif
