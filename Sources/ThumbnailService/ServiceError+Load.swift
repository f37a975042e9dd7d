#if Service
import PlatformImageLoader

extension ServiceError {
    /// What a load that failed means to a client (SERVICE.md 2.4).
    init(_ error: LoadError) {
        if let cause = error.cause as? ServiceError {
            self = cause
            return
        }
        switch error.original ?? error.code {
        case .http where error.statusCode == 404 || error.statusCode == 410:
            self.init(.notFound, "the origin has no such picture")
        case .http, .unexpectedStatus:
            self.init(.originFailed, "the origin answered with the status \(error.statusCode ?? 0)")
        case .transport where error.isTimeout: self.init(.originTimeout, "the origin did not answer in time")
        case .transport: self.init(.originFailed, "the origin could not be reached, or broke off")
        case .tls: self.init(.originFailed, "the origin's certificate was refused")
        case .redirect: self.init(.originFailed, "the origin's redirects lead nowhere")
        case .refused: self.init(.addressRefused, "the host's address is not a public one")
        case .bodyTooLarge: self.init(.tooLarge, "the source has more bytes than allowed")
        case .unacceptableContentType, .undecodable, .unsupportedFormat:
            self.init(.notAnImage, "the source is no picture that can be decoded")
        case .pixelLimit: self.init(.limit, "the source is over the limits of a picture")
        case .invalidURL: self.init(.malformed, "the source is no address")
        case .unsupportedScheme: self.init(.schemeRefused, "the source is neither http nor https")
        case .cancelled: self.init(.deadline, "the time for the request ran out")
        case .notInCache: self.init(.originFailed, "the source is not stored, and the origin is not to be asked")
        default: self.init(.internalFault, "the source could not be loaded")
        }
    }
}
#endif
