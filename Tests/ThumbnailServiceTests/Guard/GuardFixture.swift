#if Service
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport

@testable import PlatformImageService

/// What the tests of the way out share.
enum GuardFixture {
    /// Gives these answers in turn, the last one again and again, and counts how often it is asked.
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

    /// No limit at all: on a machine that is busy with something else, a test takes longer and does not fail.
    static let patient: TransportTimeouts = {
        var timeouts = TransportTimeouts()
        timeouts.connect = nil
        timeouts.idle = nil
        return timeouts
    }()

    /// Everything at this port, but of blocked addresses only those of `exceptions`.
    static func policy(port: Int, exceptions: [String] = ["127.0.0.1"]) throws -> SourcePolicy {
        try SourcePolicy(allow: ["*"], ports: [port], exceptions: exceptions)
    }

    /// The body of a GET, or why there is none.
    static func get(
        _ url: String, with transport: GuardedTransport, trust: TrustSettings = TrustSettings(),
        timeouts: TransportTimeouts = patient
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

    /// A loader of nothing but the network.
    static func loader(_ transport: GuardedTransport) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = nil
        configuration.dataDirectory = nil
        configuration.maxRedirects = 5
        return try ImageLoader(configuration: configuration, transport: transport)
    }

    /// The body of a load with its redirects, or why there is none.
    static func load(_ url: String, by loader: ImageLoader) async -> Result<[UInt8], ServiceError> {
        do throws(LoadError) {
            return .success(try await loader.data(for: DataRequest(url: url)).bytes)
        } catch {
            return .failure(ServiceError(error))
        }
    }
}

extension Result where Failure == ServiceError {
    /// Nil for a success.
    var reason: ServiceError.Reason? {
        if case .failure(let error) = self { error.reason } else { nil }
    }
}
#endif
