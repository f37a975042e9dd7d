// Not built by the checks of this repository, which fetch no package.

import Hummingbird
import PlatformImageService

/// Serves thumbnails with the URLs of the service in an application of Hummingbird: add it to the middleware of the
/// application's router, before its routes.
///
/// ```swift
/// router.add(middleware: ThumbnailMiddleware(handler: try ThumbnailHandler(configuration), prefix: "/thumbnails"))
/// ```
struct ThumbnailMiddleware<Context: RequestContext>: RouterMiddleware {
    let handler: ThumbnailHandler
    /// Path below which the targets of the service begin: `/thumbnails/unsafe/300x200/photo.jpg`.
    let prefix: String

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // The path as the client sent it: signatures cover these bytes.
        let path = request.head.path ?? ""
        guard path.hasPrefix(prefix + "/") else { return try await next(request, context) }
        let body = Body(request.body.makeAsyncIterator())
        let answer = await handler.respond(
            to: .init(
                method: request.method.rawValue, target: String(path.dropFirst(prefix.count)),
                host: request.head.authority,
                fields: request.headers.map { ($0.name.rawName, $0.value) }, body: { try await body.next() }))
        var fields = HTTPFields()
        for (name, value) in answer.fields { if let name = HTTPField.Name(name) { fields[name] = value } }
        return Response(
            status: .init(code: answer.status), headers: fields,
            body: request.method == .head
                ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

/// The body of a request, which the service reads part by part.
private actor Body {
    private var parts: RequestBody.AsyncIterator

    init(_ parts: RequestBody.AsyncIterator) { self.parts = parts }

    func next() async throws -> [UInt8]? {
        var copy = parts
        defer { parts = copy }
        return try await copy.next().map { Array($0.readableBytesView) }
    }
}
