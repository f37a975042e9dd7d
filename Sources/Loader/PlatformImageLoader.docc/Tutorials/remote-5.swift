import PlatformImage
import PlatformImageLoader

/// The HTTP status of a response after a failure.
func status(for error: any Error) -> Int {
    switch error {
    case let error as LoadError where error.statusCode == 404 || error.statusCode == 410: 404
    case let error as LoadError where error.isTimeout: 504
    case let error as LoadError where error.code == .invalidURL: 400
    case is LoadError: 502
    case let error as DecodeError where error.code == .invalidArgument: 400
    case is DecodeError: 415
    default: 500
    }
}
