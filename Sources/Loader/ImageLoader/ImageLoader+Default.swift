#if AsyncHTTPClient
public import PlatformImage

extension ImageLoader {
    /// A loader with the default configuration, made when it is first asked for and kept as long as the process.
    ///
    /// Making it never fails: when the folders of its caches cannot be made, or there is neither `XDG_CACHE_HOME` nor
    /// `HOME` to find them by, it keeps nothing on disk, and loads still work.
    public static let `default`: ImageLoader = {
        do throws(LoadError) {
            return try ImageLoader(configuration: Configuration())
        } catch {
            preconditionFailure("the defaults are within their ranges: \(error)")
        }
    }()

    /// A loader over AsyncHTTPClient.
    ///
    /// All loaders that are made so share one transport, and thus connections. It keeps at most
    /// 64 HTTP/1.1 connections to a host, whatever the widths of their lanes add up to, and takes its proxy from the
    /// environment; for other values make an ``AsyncHTTPClientTransport``.
    ///
    /// - Throws: `configuration` for a figure out of its range, or a trust root that is none.
    public convenience init(configuration: Configuration) throws(LoadError) {
        try self.init(configuration: configuration, transport: Self.sharedTransport)
    }

    /// A loader over AsyncHTTPClient with the default configuration and another folder for pictures.
    ///
    /// The folder is made when it is missing; one that cannot be made stores nothing, and loads still work. The folder of
    /// ``data(for:)`` is the default one, made as well; without it, make a configuration whose `dataDirectory` is nil.
    ///
    /// - Parameter cacheDirectory: An absolute path, or one below the current folder.
    /// - Throws: What ``init(configuration:)`` throws, which with these values is nothing.
    public convenience init(cacheDirectory: String) throws(LoadError) {
        try self.init(configuration: Configuration(cacheDirectory: cacheDirectory))
    }

    private static let sharedTransport = AsyncHTTPClientTransport(connectionsPerHost: 64)
}

extension ImageSlot {
    /// An empty slot whose pictures come from ``ImageLoader/default``.
    public convenience init(
        cancelsPrevious: Bool = false, onPresent: (@Sendable (PlatformImage) -> PlatformImage)? = nil
    ) {
        self.init(loader: ImageLoader.default, cancelsPrevious: cancelsPrevious, onPresent: onPresent)
    }
}
#endif
