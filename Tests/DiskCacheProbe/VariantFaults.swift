import PlatformImage
import PlatformImageLoader

/// Loads with variant files while disk calls fail or the process is killed, and the check of what remains.
///
/// The source of each number is a small PNG in two versions. All loads use the disk only.
enum VariantFaults {
    /// 0: variants are stored. 1: its source is replaced. 2: it is removed. 3: it is only read.
    static let numbers = 0..<4
    private static let widths = [9, 5]

    /// Stores version 1 of all sources, and the variants of all numbers except 0.
    static func prepare(_ folder: String) async throws {
        let loader = try loader(folder)
        for number in numbers {
            guard try await loader.store(source(number, version: 1), fields: fields, for: request(number)) else {
                failMissingData("\(number) without a fault")
            }
            if number == 0 { continue }
            for width in widths { _ = try await loader.image(for: request(number, width: width)) }
        }
        await loader.flush()  // Waits for the variant files.
    }

    /// Reads and writes sources and variants; errors are ignored, because disk calls may fail.
    static func work(_ folder: String) async throws {
        let loader = try loader(folder)
        for width in widths { _ = try? await loader.image(for: request(0, width: width)) }
        await loader.flush()
        _ = try? await loader.store(source(1, version: 2), fields: fields, for: request(1))
        for width in widths { _ = try? await loader.image(for: request(1, width: width)) }
        await loader.flush()
        await loader.removeImage(for: request(2, width: widths[0]))
        for width in widths { _ = try? await loader.image(for: request(3, width: width)) }
    }

    /// The version of each source that is on disk, and the number of a damaged source or of an image that was not made
    /// from the source on disk; nil for none.
    static func check(_ folder: String) async throws -> (versions: [Int: Int], wrong: Int?) {
        let loader = try loader(folder)
        var versions: [Int: Int] = [:]
        for number in numbers {
            let stored = try? await loader.imageData(for: request(number))
            if let stored {
                guard let version = (1...2).first(where: { source(number, version: $0) == stored.bytes }) else {
                    return (versions, number)
                }
                versions[number] = version
            }
            for width in widths {
                guard let image = try? await loader.image(for: request(number, width: width)) else { continue }
                guard let version = versions[number] else { return (versions, number) }
                let expected = try ImageDecoder().thumbnail(
                    of: source(number, version: version), options: ThumbnailOptions(width: width))
                guard image.bitmap.copyBytes() == expected.bitmap.copyBytes() else { return (versions, number) }
            }
        }
        return (versions, nil)
    }

    private static var fields: HeaderFields { ["Content-Type": "image/png", "Cache-Control": "max-age=31536000"] }

    private static func request(_ number: Int, width: Int? = nil) -> ImageRequest {
        var request = ImageRequest(url: "http://faults.example/\(number).png", policy: .cacheOnly)
        request.thumbnail = width.map { ThumbnailOptions(width: $0) }
        request.variantFormat = .png
        return request
    }

    private static func source(_ number: Int, version: Int) -> [UInt8] {
        var random = Random(seed: UInt64(number * 2 + version))
        let bitmap = Bitmap(width: 20, height: 14) { pixels in
            for index in pixels.indices {
                pixels[index] = UInt8(truncatingIfNeeded: random.next()) | (index % 4 == 3 ? 255 : 0)
            }
        }
        do { return try ImageEncoder().encode(bitmap, as: .png) } catch { failMissingData("\(error)") }
    }

    private static func loader(_ folder: String) throws -> ImageLoader {
        var configuration = ImageLoader.Configuration(cacheDirectory: folder)
        configuration.dataDirectory = nil
        configuration.diskCacheMaxBytes = 1 << 30
        return try ImageLoader(configuration: configuration, transport: Offline())
    }

    private struct Offline: HTTPTransport {
        func validate(_ trust: TrustSettings) throws(LoadError) {}
        func send(
            _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
        ) async throws -> HTTPResponse { throw LoadError.transport("offline") }
    }
}
