/// The results of several thumbnails of one file.
struct ThumbnailResults: Sendable {
    /// An image or an error for each of the options, in their order.
    let results: [Result<DecodedImage, DecodeError>]
    /// Number of times that pixels of the file were decoded; a decode from an embedded thumbnail counts.
    let decodeCount: Int

    /// All images.
    ///
    /// - Throws: The first error.
    func images() throws(DecodeError) -> [DecodedImage] {
        var images: [DecodedImage] = []
        for result in results { images.append(try result.get()) }
        return images
    }
}
