import PlatformImage
import PlatformImageLoader
import PlatformImageLoopbackOrigin
import PlatformImageToolSupport

/// Intact images of a folder, and the URL paths at which an origin serves them.
struct DemoImages: Sendable {
    struct Image: Sendable {
        /// Path relative to the folder.
        let path: String
        let format: ImageFormat
        let resource: OriginResource
        /// The file decoded without a loader, for comparison with the image that the loader returns.
        let bitmap: Bitmap
    }

    /// Images that decode without damage.
    let images: [Image]
    /// Image index for each URL, in a fixed pseudo-random order.
    let imageIndices: [Int]

    /// Freshness lifetime of the responses in seconds.
    static let maxAge = 3_600
    /// Minimum number of pixels of an image that is served at several URLs; ignored if no image has so many pixels.
    private static let largePixels = 10_000

    /// - Parameters:
    ///   - count: Number of URLs; fewer when `maxBytes` is reached.
    ///   - maxBytes: Limit for the decoded bytes of all URLs together.
    /// - Throws: `noInput` when the folder cannot be listed or contains no intact image; `limitExceeded` when the first
    ///   image is over `maxBytes`.
    init(folder: String, count: Int, maxBytes: Int) throws {
        let decoder = ImageDecoder()
        var images: [Image] = []
        for path in try listFiles(folder) {
            guard let bytes = try? readInput("\(folder)/\(path)", limit: decoder.options.limits.maxInputBytes),
                let image = try? decoder.decode(bytes), image.status == .complete
            else { continue }
            let resource = OriginResource(
                bytes, contentType: image.header.format.contentType.description, etag: "\"\(images.count)\"",
                maxAge: Self.maxAge)
            images.append(
                Image(path: path, format: image.header.format, resource: resource, bitmap: image.bitmap))
        }
        guard !images.isEmpty else { throw Failure(.noInput, "noInput: the folder contains no intact image") }
        self.images = images
        let imageIndices = Self.imageIndices(of: images, count: count, maxBytes: maxBytes)
        guard !imageIndices.isEmpty else {
            throw Failure(.refused, "limitExceeded: the first image has more than \(maxBytes) bytes of pixels")
        }
        self.imageIndices = Self.shuffled(imageIndices)
    }

    /// Image index for each URL: each image once, then the large images in turn, or all images if none is large.
    private static func imageIndices(of images: [Image], count: Int, maxBytes: Int) -> [Int] {
        let repeated = largeImages(images)
        var imageIndices: [Int] = []
        var bytes = 0
        while imageIndices.count < count {
            let turn = imageIndices.count - images.count
            let image = turn < 0 ? imageIndices.count : repeated[turn % repeated.count]
            bytes += images[image].bitmap.byteCount
            guard bytes <= maxBytes else { break }
            imageIndices.append(image)
        }
        return imageIndices
    }

    /// Indices of the images with at least ``largePixels``, or of all images if none is that large.
    private static func largeImages(_ images: [Image]) -> [Int] {
        let large = images.indices.filter { images[$0].bitmap.width * images[$0].bitmap.height >= largePixels }
        return large.isEmpty ? Array(images.indices) : large
    }

    /// The images with at least ``largePixels``, or all images if none is that large.
    var largeImages: [Image] { Self.largeImages(images).map { images[$0] } }

    /// Shuffles deterministically (Fisher-Yates shuffle with a fixed seed).
    private static func shuffled(_ imageIndices: [Int]) -> [Int] {
        var imageIndices = imageIndices
        var state: UInt64 = 1
        for last in imageIndices.indices.reversed().dropLast() {
            // Knuth's 64-bit LCG multiplier; the upper half of the state has the better randomness.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            imageIndices.swapAt(last, Int(state >> 33) % (last + 1))
        }
        return imageIndices
    }

    func image(at number: Int) -> Image { images[imageIndices[number]] }

    /// Path of a URL: its index and the file name.
    func path(_ number: Int) -> String {
        let name = image(at: number).path.split(separator: "/").last ?? ""
        // Only unreserved characters (RFC 3986), because transports percent-encode other characters differently.
        return "/\(number)/\(sanitizedName(name.utf8))"
    }

    /// Resource at a path; `nil` when the path is unknown.
    func resource(_ path: String) -> OriginResource? {
        let number = path.split(separator: "/").first.flatMap { Int($0) }
        guard let number, imageIndices.indices.contains(number), path == self.path(number) else { return nil }
        return image(at: number).resource
    }

    /// Total file bytes over all URLs.
    var fileBytes: Int { imageIndices.reduce(0) { $0 + images[$1].resource.body.count } }
    /// Total decoded bytes over all URLs.
    var pixelBytes: Int { imageIndices.reduce(0) { $0 + images[$1].bitmap.byteCount } }

    /// Text with the number of URLs, of images, and of URLs per image format, and the megabytes of files and of pixels.
    var summary: String {
        let formats = ImageFormat.allCases.compactMap { format in
            let count = imageIndices.count { images[$0].format == format }
            return count == 0 ? nil : "\(count) \(format.rawValue)"
        }
        return "\(imageIndices.count) URLs of \(Set(imageIndices).count) images (\(formats.joined(separator: ", "))): "
            + "\(fixed(Double(fileBytes) / 1e6, digits: 1)) MB of files, "
            + "\(fixed(Double(pixelBytes) / 1e6, digits: 1)) MB of pixels"
    }
}
