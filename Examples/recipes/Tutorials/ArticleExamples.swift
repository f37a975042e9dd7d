import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import Testing

/// Examples of the DocC articles that are part of no recipe. The articles contain the same lines; `make lint` compares
/// them.
enum ArticleExamples {
    static func decode(_ bytes: [UInt8]) throws {
        let image = try ImageDecoder().decode(bytes)
        print(image.header.format, image.bitmap.width, image.bitmap.height, image.status)
    }

    static func play(_ bytes: [UInt8], show: (Bitmap, Duration) -> Void) throws {
        let frames = try ImageDecoder().frames(of: bytes)
        while let frame = try frames.next() {
            show(frame.bitmap, frame.info.delay.displayed)
        }
    }

    static func thumbnail(of bytes: [UInt8]) throws -> [UInt8] {
        var options = ThumbnailOptions(width: 300, height: 200, fit: .cover)
        options.gravity = Gravity(x: 0.5, y: 0.3)

        let decoder = ImageDecoder()
        let thumbnail = try decoder.thumbnail(of: bytes, options: options)
        let file = try ImageEncoder().encode(thumbnail.bitmap, as: .jpeg)
        return file
    }

    static func sizes(of bytes: [UInt8], decoder: ImageDecoder) throws -> [DecodedImage] {
        let sizes = [150, 300, 600].map { ThumbnailOptions(width: $0) }
        let thumbnails = try decoder.thumbnails(of: bytes, options: sizes)
        return thumbnails
    }

    struct CachedImages {
        let cache = MemoryCache<ImageCacheKey, Bitmap>(maxBytes: AvailableMemory().fraction(0.15))
        let queue = DecodeQueue(budget: DecodeBudget(maxBytes: 256 << 20))

        func image(_ key: ImageCacheKey, from bytes: [UInt8]) async throws -> Bitmap {
            if let known = cache[key] { return known }
            let bitmap = try await queue.decode(bytes).bitmap
            cache[key] = bitmap
            return bitmap
        }
    }

    static func encode(_ bitmap: Bitmap, on queue: DecodeQueue) async throws -> [UInt8] {
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 85
        encoder.options.jpeg.isProgressive = true
        encoder.options.maxBytes = 500_000
        let file = try await queue.encode(bitmap, as: .jpeg, with: encoder)
        return file
    }

    static func copyMetadata(_ bytes: [UInt8]) throws -> [UInt8] {
        let (decoder, profile) = try ImageDecoder().keepingProfile(of: bytes)
        let image = try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 800, height: 800))
        var encoder = ImageEncoder()
        encoder.options.iccProfile = profile
        encoder.options.metadata = try decoder.metadata(of: bytes)
        encoder.options.metadataPolicy = .withoutLocation
        let file = try encoder.encode(image.bitmap, as: .jpeg)
        return file
    }

    static func copyAnimation(_ bytes: [UInt8], decoder: ImageDecoder) throws -> [UInt8] {
        let frames = try decoder.frames(of: bytes)
        var copies: [AnimationFrame] = []
        while let frame = try frames.next() { copies.append(frame) }
        let file = try ImageEncoder().encodeAnimation(copies, as: .webp, loopCount: frames.header.loopCount ?? 1)
        return file
    }

    /// Writes the pixels of a bitmap to memory of C, with `stride` bytes per row.
    static func write(_ bitmap: Bitmap, to pixels: UnsafeMutablePointer<UInt8>, stride: Int) throws {
        let buffer = UnsafeMutableBufferPointer(start: pixels, count: stride * bitmap.height)
        var rows = buffer.mutableSpan
        try bitmap.copyPixels(to: &rows, layout: .bgra, stride: stride)
    }

    /// Creates a bitmap from pixels in memory of C, with `stride` bytes per row.
    static func read(_ pixels: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int) throws -> Bitmap {
        let buffer = UnsafeBufferPointer(start: pixels, count: stride * height)
        return try Bitmap(width: width, height: height, bytes: buffer.span, layout: .bgra, stride: stride)
    }

    static func smallFile(of bytes: [UInt8], decoder: ImageDecoder, log: (String) -> Void) -> [UInt8]? {
        do {
            let thumbnail = try decoder.thumbnail(of: bytes, options: ThumbnailOptions(width: 200))
            return try ImageEncoder().encode(thumbnail.bitmap, as: .jpeg)
        } catch let error as DecodeError {
            log("not decoded: \(error)")
        } catch let error as EncodeError {
            log("not encoded: \(error)")
        } catch {
            log("\(error)")
        }
        return nil
    }
}

extension ArticleExamples {
    /// Only compiled, like the next function: a test can use neither the directory nor the URL.
    static func load() async throws {
        let loader = try ImageLoader(cacheDirectory: "/var/cache/images")
        try loader.update { $0.cacheImagesInMemory = true }

        let image = try await loader.image(for: ImageRequest(url: "https://example.com/a.png"))
        print(image.bitmap.width, image.source, image.isFresh)
    }

    static func avatar(loader: ImageLoader) async throws -> LoadedImage {
        var request = ImageRequest(
            url: "https://example.com/a.jpg", thumbnail: ThumbnailOptions(width: 200, height: 200, fit: .cover),
            processors: [.circle()])
        request.variantFormat = .png
        let avatar = try await loader.image(for: request)
        return avatar
    }

    static func serverConfiguration() -> ImageLoader.Configuration {
        let configuration = ImageLoader.Configuration.server(directory: "/var/cache/images")
        return configuration
    }

    static func observe(_ configuration: inout ImageLoader.Configuration) {
        configuration.eventCategories = [.cache, .error, .memory]
        configuration.eventSink = { event in
            if event.isLogged { print(event.level, event.message, event.fields.map { "\($0.name)=\($0.value)" }) }
        }
        configuration.recordSink = { record in print(record) }
    }

    static func redact(_ configuration: inout ImageLoader.Configuration) {
        let redaction = Redaction { name, value in name == "width" ? value : nil }
        configuration.redactURL = { redaction($0) }
    }

    static func show(
        _ request: ImageRequest, loader: ImageLoader, show: (Bitmap) -> Void, showNothing: () -> Void,
        log: (String) -> Void
    ) async {
        do throws(LoadError) {
            show(try await loader.image(for: request).bitmap)
        } catch {
            if error.code == .http, error.statusCode == 404 { showNothing() } else { log("\(error)") }
        }
    }
}

extension RecipeTests {
    @Test func examplesOfTheArticlesOfTheCoreWork() async throws {
        let (queue, photo) = (DecodeQueue(width: 1), try example("demo/mountains.jpg"))

        try ArticleExamples.decode(photo)
        var count = 0
        try ArticleExamples.play(example("demo/orbit.gif")) { _, duration in count += duration > .zero ? 1 : 0 }
        #expect(count == 24)
        #expect(try ImageDecoder().header(of: ArticleExamples.thumbnail(of: photo)).height == 200)
        let sizes = try ArticleExamples.sizes(of: photo, decoder: ImageDecoder())
        #expect(sizes.map(\.bitmap.width) == [150, 300, 600])
        let images = ArticleExamples.CachedImages()
        let key = ImageCacheKey("mountains")
        let bitmap = try await images.image(key, from: photo)
        #expect(try await images.image(key, from: []).byteCount == bitmap.byteCount)
        #expect(try await ArticleExamples.encode(bitmap, on: queue).count <= 500_000)
        let turned = try example("demo/city-lights-turned.jpg")
        #expect(try ImageDecoder().header(of: turned).orientation != .up)
        #expect(try ImageDecoder().header(of: ArticleExamples.copyMetadata(turned)).orientation == .up)
    }

    @Test func examplesWithAnAnimationMemoryOfCAndErrorsWork() throws {
        let (decoder, gif, photo) = (ImageDecoder(), try example("demo/orbit.gif"), try example("demo/mountains.jpg"))

        let copy = try decoder.header(of: ArticleExamples.copyAnimation(gif, decoder: decoder))
        #expect(copy.frameCount == 24)
        #expect(copy.loopCount == 0)

        let bitmap = try decoder.thumbnail(of: photo, options: ThumbnailOptions(width: 20)).bitmap
        let stride = bitmap.width * 4 + 12
        let pixels = UnsafeMutablePointer<UInt8>.allocate(capacity: stride * bitmap.height)
        defer { pixels.deallocate() }
        pixels.initialize(repeating: 0, count: stride * bitmap.height)
        try ArticleExamples.write(bitmap, to: pixels, stride: stride)
        let again = try ArticleExamples.read(pixels, width: bitmap.width, height: bitmap.height, stride: stride)
        #expect(again == bitmap)

        var log: [String] = []
        let file = ArticleExamples.smallFile(of: photo, decoder: decoder) { log.append($0) }
        let none = ArticleExamples.smallFile(of: [0], decoder: decoder) { log.append($0) }
        #expect(file != nil)
        #expect(none == nil)
        #expect(log.count == 1)
    }

    @Test func examplesOfTheArticlesOfTheLoaderWork() async throws {
        let (folder, origin) = (try TemporaryFolder(), try await LoopbackOrigin.examples())
        #expect(ArticleExamples.serverConfiguration().cacheDirectory == "/var/cache/images/images")
        var configuration = ImageLoader.Configuration.server(directory: folder.path)
        ArticleExamples.observe(&configuration)
        ArticleExamples.redact(&configuration)
        #expect(configuration.redactURL?("http://a.test/?width=3&key=4") == "http://a.test/?width=3&key=***")
        let loader = try ImageLoader(configuration: configuration)

        var seen: [String] = []
        for path in ["/demo/logo.png", "/none.png", "/bad/avif-avif-mif1.avif"] {
            await ArticleExamples.show(
                ImageRequest(url: origin.url(path)), loader: loader, show: { seen.append("\($0.width)") },
                showNothing: { seen.append("nothing") }, log: { _ in seen.append("error") })
        }
        #expect(seen == ["320", "nothing", "error"])
    }
}
