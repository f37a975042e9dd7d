internal import PlatformImage

extension ImageLoader.Configuration {
    /// Settings for a server that loads images for many users.
    ///
    /// The defaults suit a program of one user. These settings differ: the memory cache is on, both disk caches have a
    /// limit, ``retry`` is `standard`, ``isSharedCache`` is true, ``totalTimeout`` is 60 seconds, and ``decodeLimits``
    /// are those of `thumbnailService`.
    ///
    /// - Parameters:
    ///   - directory: Parent directory of the two disk caches, `images` and `data`; nil disables both. It must be
    ///     writable only for the user of the server.
    ///   - diskCacheMaxBytes: Maximum size of each of the two disk caches, in bytes; 0 stores nothing.
    ///   - memoryCacheMaxBytes: Maximum size of all images in memory, in bytes; 0 stores none.
    public static func server(
        directory: String?, diskCacheMaxBytes: Int = 4 << 30, memoryCacheMaxBytes: Int = 256 << 20
    ) -> Self {
        var configuration = Self()
        configuration.cacheDirectory = directory.map { $0 + "/images" }
        configuration.dataDirectory = directory.map { $0 + "/data" }
        configuration.diskCacheMaxBytes = diskCacheMaxBytes
        configuration.cacheImagesInMemory = true
        configuration.memoryCacheMaxBytes = memoryCacheMaxBytes
        configuration.retry = .standard
        configuration.isSharedCache = true
        configuration.totalTimeout = .seconds(60)
        configuration.decodeLimits = .thumbnailService
        return configuration
    }
}
