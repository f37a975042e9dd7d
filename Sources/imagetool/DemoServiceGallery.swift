#if Tool && Service
import ArgumentParser
import PlatformImageService

/// What `--gallery` shows: the pictures of a folder, or without one those of an origin in this process.
enum DemoServiceGallery: ExpressibleByArgument {
    case landscapes
    case folder(String)

    /// Results on disk are kept by the addresses of their sources: with this port they are found after a restart.
    private static let originPort = 8_765
    /// The most pictures of a page.
    static let maxCount = 1_000

    init?(argument: String) { self = .folder(argument) }

    var defaultValueDescription: String { "landscapes" }

    /// Adds the page to a configuration.
    ///
    /// - Returns: The origin, to be stopped after the service; nil when there is none.
    /// - Throws: `ValidationError` when files come from elsewhere already; ``Failure`` for a folder that cannot be listed.
    func add(to configuration: inout ServiceConfiguration) async throws -> DemoServiceOrigin? {
        switch self {
        case .landscapes:
            let origin = try await DemoServiceOrigin(port: Self.originPort)
            origin.allow(in: &configuration)
            configuration.gallery = origin.gallery
            return origin
        case .folder(let folder):
            guard configuration.source.fileRoot == nil || configuration.source.fileRoot == folder else {
                throw ValidationError("--gallery DIR and --files name two folders.")
            }
            configuration.source.fileRoot = folder
            let paths = try filesIn(folder).filter(InputPaths.isPictureName)
            if paths.count > Self.maxCount {
                printError("imagetool: the gallery shows \(Self.maxCount) of \(paths.count) pictures")
            }
            configuration.gallery = .init(pictures: paths.prefix(Self.maxCount).map { .init(source: $0, name: $0) })
            return nil
        }
    }
}
#endif
