#if AsyncHTTPClient
import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// The code of the tutorial "Thumbnails of images on the web" of PlatformImageLoader.docc, one type for each step.
enum ServiceTutorial {
    enum Load {
        struct RemoteImages {
            let loader: ImageLoader

            init(cacheDirectory: String) throws {
                loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
            }

            func image(at url: String) async throws -> Bitmap {
                try await loader.image(for: ImageRequest(url: url)).bitmap
            }
        }
    }

    enum Source {
        struct RemoteImages {
            let loader: ImageLoader

            init(cacheDirectory: String) throws {
                loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
            }

            func image(at url: String) async throws -> Bitmap {
                let result = try await loader.image(for: ImageRequest(url: url))
                print(result.source, result.isFresh ? "fresh" : "stale", result.timings.network)
                return result.bitmap
            }
        }
    }

    enum Thumbnail {
        struct RemoteImages {
            let loader: ImageLoader
            let queue = DecodeQueue()

            init(cacheDirectory: String) throws {
                loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
            }

            func thumbnail(of url: String, width: Int) async throws -> [UInt8] {
                let original = try await loader.data(for: DataRequest(url: url))
                var decoder = ImageDecoder()
                decoder.options.limits = .thumbnailService
                let options = ThumbnailOptions(width: width)
                let thumbnail = try await queue.thumbnail(of: original.bytes, options: options, with: decoder)
                return try await queue.encode(thumbnail.bitmap, as: .jpeg)
            }
        }
    }

    enum Robust {
        struct RemoteImages {
            let loader: ImageLoader
            let queue = DecodeQueue()

            init(cacheDirectory: String) throws {
                var configuration = ImageLoader.Configuration.server(directory: cacheDirectory)
                configuration.staleIfError = .upTo(.seconds(86_400))
                configuration.negativeCacheMaxAge = .seconds(60)
                loader = try ImageLoader(configuration: configuration)
            }

            func thumbnail(of url: String, width: Int) async throws -> [UInt8] {
                let original = try await loader.data(for: DataRequest(url: url))
                var decoder = ImageDecoder()
                decoder.options.limits = .thumbnailService
                let options = ThumbnailOptions(width: width)
                let thumbnail = try await queue.thumbnail(of: original.bytes, options: options, with: decoder)
                return try await queue.encode(thumbnail.bitmap, as: .jpeg)
            }
        }
    }

    enum Status {
        /// The HTTP status of a response after a failure.
        static func status(for error: any Error) -> Int {
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
    }
}

extension RecipeTests {
    @Test func codeOfTheServiceTutorialWorks() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        let url = origin.url("/demo/mountains.jpg")

        #expect(try await ServiceTutorial.Load.RemoteImages(cacheDirectory: folder.path).image(at: url).width == 760)
        #expect(try await ServiceTutorial.Source.RemoteImages(cacheDirectory: folder.path).image(at: url).width == 760)
        let simple = try ServiceTutorial.Thumbnail.RemoteImages(cacheDirectory: folder.path)
        let file = try await simple.thumbnail(of: url, width: 100)
        #expect(try ImageDecoder().header(of: file).width == 100)
        let robust = try ServiceTutorial.Robust.RemoteImages(cacheDirectory: folder.path)
        #expect(try await robust.thumbnail(of: url, width: 100) == file)
        let failures = [
            ("/demo/none.jpg", 100, 404), ("/demo/mountains.jpg", 0, 400), ("/bad/webp-lossy.webp", 9, 415),
        ]
        for (path, width, status) in failures {
            await #expect {
                try await robust.thumbnail(of: origin.url(path), width: width)
            } throws: { ServiceTutorial.Status.status(for: $0) == status }
        }
    }
}
#endif
