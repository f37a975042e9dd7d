import PlatformImage

/// The HTTP status of the response to an upload that could not be processed.
func status(for error: any Error) -> Int {
    guard let error = error as? DecodeError else { return 500 }
    return switch error.code {
    case .unknownFormat, .unsupported: 415
    case .limitExceeded: 413
    case .invalidArgument: 400
    case .malformed, .truncated: 422
    default: 500
    }
}
