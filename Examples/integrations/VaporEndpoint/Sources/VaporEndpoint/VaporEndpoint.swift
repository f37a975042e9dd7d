// Not built by the checks of this repository, which fetch no package.

import PlatformImageService
import Vapor

extension Application {
    /// Serves thumbnails with the URLs of the service below a path: `/thumbnails/unsafe/300x200/photo.jpg`.
    ///
    /// - Parameters:
    ///   - path: A path without a slash at its end, such as `/thumbnails`.
    ///   - handler: Made once: it contains the caches.
    func addThumbnails(below path: String, _ handler: ThumbnailHandler) {
        let parts = path.split(separator: "/").map { PathComponent(stringLiteral: String($0)) } + ["**"]
        for method in [HTTPMethod.GET, .HEAD, .OPTIONS, .POST] {
            on(method, parts, body: .collect(maxSize: "32mb")) { request async -> Response in
                // The target as the client sent it: signatures cover these bytes.
                let target = String(request.url.string.dropFirst(path.count))
                let bytes = request.body.data.map { Array($0.readableBytesView) }
                let body = Body(bytes)
                let answer = await handler.respond(
                    to: .init(
                        method: method.rawValue, target: target, host: request.headers.first(name: .host),
                        fields: request.headers.map { ($0.name, $0.value) }, peer: request.peerAddress?.ipAddress,
                        body: { await body.next() }))
                return Response(
                    status: .init(statusCode: answer.status),
                    headers: HTTPHeaders(answer.fields.map { ($0.name, $0.value) }),
                    body: method == .HEAD ? .empty : .init(data: Data(answer.body)))
            }
        }
    }
}

/// The collected body of a request, as one part.
private actor Body {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]?) { self.bytes = bytes }

    func next() -> [UInt8]? {
        defer { bytes = nil }
        return bytes
    }
}
