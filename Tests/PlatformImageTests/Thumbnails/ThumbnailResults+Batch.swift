@testable import PlatformImage

extension ImageDecoder {
    /// Makes several thumbnails as ``thumbnails(of:options:as:cancellation:)`` does, with a result for
    /// each, as the decode queue does for the loader.
    func thumbnailResults(
        of bytes: Span<UInt8>, options: [ThumbnailOptions], cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ThumbnailResults {
        try LocalDecoder(options: self.options, flag: cancellation)
            .images(.thumbnails(options, isComplete: false), bytes)
    }
}
