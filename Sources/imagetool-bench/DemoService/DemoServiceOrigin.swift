import PlatformImageLoopbackOrigin
import PlatformImageService

/// Origin in this process that renders landscapes on request and also serves broken files.
final class DemoServiceOrigin: Sendable {
    /// Number of landscapes.
    static let count = 1_000
    /// Freshness lifetime of the responses in seconds.
    private static let maxAge = 3_600

    private let origin: LoopbackOrigin

    /// - Parameter port: Preferred port, for URLs that are equal in every run; a free port is used when it is 0 or in
    ///   use.
    init(port: Int = 0) async throws {
        if port != 0, let origin = try? await LoopbackOrigin(port: port, respond: Self.respond) {
            self.origin = origin
        } else {
            origin = try await LoopbackOrigin(respond: Self.respond)
        }
    }

    var port: Int { origin.port }

    /// URL of a landscape.
    func landscape(_ number: Int) -> String { url("landscape/\(number).jpg") }

    func url(_ path: String) -> String { origin.url("/\(path)") }

    func stop() async { await origin.stop() }

    /// Gallery page with all landscapes.
    var gallery: ServiceConfiguration.Gallery {
        ServiceConfiguration.Gallery(
            images: (0..<Self.count).map { number in
                .init(source: landscape(number), name: DemoServiceScene(number: number).name)
            })
    }

    /// Allows a service to fetch from this origin, whose loopback address is blocked by default.
    func allow(in configuration: inout ServiceConfiguration) {
        // If the configuration allows no host yet, remove its ports, so that only the port of this origin is allowed.
        if configuration.source.allow.isEmpty { configuration.source.ports = [] }
        configuration.source.allow.append("127.0.0.1")
        configuration.source.ports.insert(port)
        configuration.source.allowedRanges.append("127.0.0.1/32")
    }

    private static func respond(_ request: OriginRequest) -> OriginAction {
        .response(resource(request.target)?.response(to: request) ?? OriginResponse(status: 404))
    }

    private static func resource(_ target: String) -> OriginResource? {
        switch target {
        case "/half.jpg":
            guard let file = try? DemoServiceScene(number: 2).file() else { return nil }
            return OriginResource(
                Array(file.prefix(file.count / 2)), contentType: "image/jpeg", etag: "\"half\"", maxAge: maxAge)
        case "/text.jpg":
            return OriginResource(
                Array("<!doctype html><title>This is not an image</title>\n".utf8), contentType: "image/jpeg",
                etag: "\"text\"", maxAge: maxAge)
        default:
            let name = target.split(separator: "/")
            guard name.count == 2, name[0] == "landscape", name[1].hasSuffix(".jpg"),
                let number = Int(name[1].dropLast(4)), (0..<count).contains(number),
                let file = try? DemoServiceScene(number: number).file()
            else { return nil }
            return OriginResource(file, contentType: "image/jpeg", etag: "\"\(number)\"", maxAge: maxAge)
        }
    }
}
