import PlatformImage
import PlatformImageLoader

/// The HTTP status of a response after a failure.
func status(for error: LoadError) -> Int {
    switch error.code {
    case .http, .remembered: error.statusCode == 404 || error.statusCode == 410 ? 404 : 502
    case .transport: error.isTimeout ? 504 : 502
    case .configuration, .invalidURL, .unsupportedScheme: 400
    case .undecodable, .unsupportedFormat, .unacceptableContentType, .pixelLimit, .bodyTooLarge: 415
    default: 502
    }
}
