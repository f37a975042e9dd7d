/// The results of several thumbnails of one file.
struct ThumbnailResults: Sendable {
    /// An image or an error for each of the options, in their order.
    let results: [Result<DecodedImage, DecodeError>]
    /// Number of times that pixels of the file were decoded; a decode from an embedded thumbnail counts.
    let decodeCount: Int

    init(results: [Result<DecodedImage, DecodeError>], decodeCount: Int) {
        self.results = results
        self.decodeCount = decodeCount
    }

    /// The result of one decode.
    init(_ image: DecodedImage) { self.init(results: [.success(image)], decodeCount: 1) }

    /// The image of the first option.
    ///
    /// - Throws: Its error.
    func first() throws(DecodeError) -> DecodedImage {
        guard let first = results.first else { throw DecodeError(.internal, "a decode has no result") }
        return try first.get()
    }

    /// All images.
    ///
    /// - Throws: The first error.
    func images() throws(DecodeError) -> [DecodedImage] {
        var images: [DecodedImage] = []
        for result in results { images.append(try result.get()) }
        return images
    }
}
