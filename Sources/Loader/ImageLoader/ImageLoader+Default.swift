public import PlatformImage

extension ImageLoader {
    /// A shared loader with the default configuration, created on first use and retained until the process exits.
    ///
    /// Creating it never fails: without a usable cache directory, or without `XDG_CACHE_HOME` and `HOME`, it stores
    /// nothing on disk, and loads still work.
    public static let `default`: ImageLoader = {
        do throws(LoadError) {
            return try ImageLoader(configuration: Configuration())
        } catch {
            preconditionFailure("the default configuration is invalid: \(error)")
        }
    }()

    /// A loader that uses libcurl.
    ///
    /// Loaders created this way share one transport and its connections. The transport opens at most 64 HTTP/1.1
    /// connections to a host, regardless of the settings ``Configuration/urgentWidth`` and ``Configuration/slowWidth``
    /// of the loaders, and reads its proxy from the environment. For other values create an
    /// ``CurlTransport``.
    ///
    /// - Throws: `configuration` for a value out of range or an invalid trust root.
    public convenience init(configuration: Configuration) throws(LoadError) {
        try self.init(configuration: configuration, transport: Self.sharedTransport)
    }

    /// A loader that uses libcurl and the default configuration with another directory for images.
    ///
    /// A missing directory is created; if that fails nothing is stored, and loads still work. ``data(for:)`` uses its
    /// default directory; to disable it use a configuration whose `dataDirectory` is nil.
    ///
    /// - Parameter cacheDirectory: An absolute path, or a path relative to the current directory.
    /// - Throws: As ``init(configuration:)``, which does not fail with these values.
    public convenience init(cacheDirectory: String) throws(LoadError) {
        try self.init(configuration: Configuration(cacheDirectory: cacheDirectory))
    }

    private static let sharedTransport = CurlTransport(connectionsPerHost: 64)
}

extension ImageSlot {
    /// An empty slot that loads its images with ``ImageLoader/default``.
    public convenience init(
        cancelsPrevious: Bool = false, onPresent: (@Sendable (PlatformImage) -> PlatformImage)? = nil
    ) {
        self.init(loader: ImageLoader.default, cancelsPrevious: cancelsPrevious, onPresent: onPresent)
    }
}
