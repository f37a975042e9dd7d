import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport

@testable import PlatformImageService

/// Resolvers, policies and loads for the tests of outgoing requests.
enum GuardFixture {
    /// Returns the given results in order, repeats the last one, and records the requested names.
    final class ScriptedResolver: Resolver {
        private let answers: [[String]]
        private let asked = Locked<[String]>([])

        init(_ answers: [String]...) { self.answers = answers }

        var names: [String] { asked.value }

        func addresses(of name: String, within timeout: Duration?) async throws(ServiceError) -> [IPAddress] {
            asked.update { $0.append(name) }
            let answer = answers[min(names.count, answers.count) - 1]
            return answer.compactMap { IPAddress($0) }
        }
    }

    /// No timeouts, so that a test on a busy machine takes longer instead of failing.
    static let noTimeouts: TransportTimeouts = {
        var timeouts = TransportTimeouts()
        timeouts.connect = nil
        timeouts.idle = nil
        return timeouts
    }()

    /// Allows every host at this port, and of the blocked addresses only `exceptions`.
    static func policy(port: Int, exceptions: [String] = ["127.0.0.1"]) throws -> SourcePolicy {
        try SourcePolicy(allow: ["*"], ports: [port], exceptions: exceptions)
    }

    /// The body of the response to a GET, or the error.
    static func get(
        _ url: String, with transport: GuardedTransport, trust: TrustSettings = TrustSettings(),
        timeouts: TransportTimeouts = noTimeouts
    ) async -> Result<[UInt8], ServiceError> {
        do {
            let response = try await transport.send(HTTPRequest(url: url), trust: trust, timeouts: timeouts)
            var body: [UInt8] = []
            for try await chunk in response.body { body += chunk }
            return .success(body)
        } catch {
            return .failure(ServiceError(error as? LoadError ?? .transport("\(error)")))
        }
    }

    /// A loader without caches.
    static func loader(_ transport: GuardedTransport) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        configuration.maxRedirects = 5
        return try ImageLoader(configuration: configuration, transport: transport)
    }

    /// The body of a load that follows redirects, or the error.
    static func load(_ url: String, by loader: ImageLoader) async -> Result<[UInt8], ServiceError> {
        do throws(LoadError) {
            return .success(try await loader.data(for: DataRequest(url: url)).bytes)
        } catch {
            return .failure(ServiceError(error))
        }
    }
}

extension Result where Failure == ServiceError {
    /// The reason of the error; nil for a success.
    var reason: ServiceError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
}
