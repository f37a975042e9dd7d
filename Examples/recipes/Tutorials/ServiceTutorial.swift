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

            init(cacheDirectory: String) throws {
                loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
            }

            func thumbnail(of url: String, width: Int) async throws -> Bitmap {
                let options = ThumbnailOptions(width: width)
                return try await loader.image(for: ImageRequest(url: url, thumbnail: options)).bitmap
            }
        }
    }

    enum Stored {
        struct RemoteImages {
            let loader: ImageLoader

            init(cacheDirectory: String) throws {
                loader = try ImageLoader(configuration: .server(directory: cacheDirectory))
            }

            func thumbnail(of url: String, width: Int) async throws -> Bitmap {
                let options = ThumbnailOptions(width: width)
                var request = ImageRequest(url: url, thumbnail: options, processors: [.sharpen(amount: 0.5, radius: 1)])
                request.variantFormat = .jpeg
                return try await loader.image(for: request).bitmap
            }
        }
    }

    enum Robust {
        struct RemoteImages {
            let loader: ImageLoader

            init(cacheDirectory: String) throws {
                var configuration = ImageLoader.Configuration.server(directory: cacheDirectory)
                configuration.staleIfError = .upTo(.seconds(86_400))
                configuration.negativeCacheMaxAge = .seconds(60)
                loader = try ImageLoader(configuration: configuration)
            }

            func thumbnail(of url: String, width: Int) async throws -> Bitmap {
                let options = ThumbnailOptions(width: width)
                var request = ImageRequest(url: url, thumbnail: options, processors: [.sharpen(amount: 0.5, radius: 1)])
                request.variantFormat = .jpeg
                return try await loader.image(for: request).bitmap
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
        #expect(try await simple.thumbnail(of: url, width: 100).width == 100)
        let stored = try ServiceTutorial.Stored.RemoteImages(cacheDirectory: folder.path)
        #expect(try await stored.thumbnail(of: url, width: 100).width == 100)
        let robust = try ServiceTutorial.Robust.RemoteImages(cacheDirectory: folder.path)
        #expect(try await robust.thumbnail(of: url, width: 120).width == 120)
        let failures = [
            ("/demo/none.jpg", 100, 404), ("/demo/mountains.jpg", 0, 400), ("/bad/avif-avif-mif1.avif", 9, 415),
        ]
        for (path, width, expected) in failures {
            do {
                _ = try await robust.thumbnail(of: origin.url(path), width: width)
                Issue.record("\(path) has no error")
            } catch let error as LoadError {
                #expect(status(for: error) == expected, "\(path): \(error)")
            }
        }
        #expect(origin.requests.count == 3)

        let page = try await LoopbackOrigin { _ in
            .response(OriginResponse(fields: [OriginField("Content-Type", "text/html")], body: [60]))
        }
        await #expect {
            try await robust.thumbnail(of: page.url("/a.jpg"), width: 100)
        } throws: { ($0 as? LoadError).map { status(for: $0) } == 415 }
    }
}
