import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// A configuration for an unreliable origin: short timeouts, up to four attempts with exponential backoff.
func patientConfiguration(directory: String) -> ImageLoader.Configuration {
    var configuration = ImageLoader.Configuration.server(directory: directory)
    configuration.connectTimeout = .seconds(3)
    configuration.idleTimeout = .seconds(10)
    configuration.totalTimeout = .seconds(30)  // of one attempt
    configuration.retry = RetryPolicy(maxAttempts: 4, firstDelay: .milliseconds(200))
    configuration.maxRetryDelay = .seconds(5)  // a longer Retry-After ends the load
    return configuration
}

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

extension RecipeTests {
    @Test func failedAttemptsAreRepeatedAndAnInterruptedBodyIsResumed() async throws {
        let (folder, bytes) = (try TemporaryFolder(), try example("demo/logo.png"))
        let origin = try await LoopbackOrigin { request in
            if request.number == 0 { return .response(OriginResponse(status: 503)) }
            let fields = [OriginField("Content-Type", "image/png"), OriginField("ETag", "\"1\"")]
            var response = OriginResponse(fields: fields, body: bytes)
            if request.number == 1 { response.failure = (after: 5_000, .close) }
            if let range = request["Range"], range == "bytes=5000-" {
                response.status = 206
                response.fields.append(OriginField("Content-Range", "bytes 5000-\(bytes.count - 1)/\(bytes.count)"))
                response.body = Array(bytes[5_000...])
            }
            return .response(response)
        }
        var configuration = patientConfiguration(directory: folder.path)
        configuration.retry.firstDelay = .zero  // so that the test does not wait
        let loader = try ImageLoader(configuration: configuration)

        let image = try await loader.image(for: ImageRequest(url: origin.url("/logo.png")))

        #expect(image.bitmap.width == 320)
        #expect(origin.requests.map { $0["Range"] } == [nil, nil, "bytes=5000-"])
    }

    @Test func originThatNeverRespondsIsATimeout() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin { _ in .silence })
        var configuration = patientConfiguration(directory: folder.path)
        configuration.retry = .none
        configuration.idleTimeout = .milliseconds(10)
        let loader = try ImageLoader(configuration: configuration)

        await #expect {
            try await loader.image(for: ImageRequest(url: origin.url("/logo.png")))
        } throws: { ($0 as? LoadError).map { status(for: $0) } == 504 }
    }
}
