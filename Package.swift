// swift-tools-version: 6.2
import PackageDescription

// The core (CImageCodecs, PlatformImage) depends on no package: with `traits: []` none is resolved.
// Names of modules and products are unique in a user's package graph: all start with PlatformImage or CPlatformImage,
// except CImageCodecs and the executables.
// PLATFORMIMAGE_DOCS=1 adds the plugin that builds the documentation.
let documentation: [Package.Dependency] =
    Context.environment["PLATFORMIMAGE_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
    name: "PlatformImage",
    // `Array.span`, `Array.mutableSpan` and `Task.immediate` need the standard library of macOS 26; `Mutex`, `UInt128`
    // and task executors need macOS 15.
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "PlatformImage", targets: ["PlatformImage"]),
        .library(name: "PlatformImageLoader", targets: ["PlatformImageLoader"]),
        .library(name: "PlatformImageURLSession", targets: ["PlatformImageURLSession"]),
        .library(name: "PlatformImageService", targets: ["PlatformImageService"]),
        .library(name: "PlatformImageC", type: .dynamic, targets: ["PlatformImageC"]),
        .executable(name: "imagetool", targets: ["imagetool"]),
        .executable(name: "imagetool-decoder", targets: ["imagetool-decoder"]),
        .executable(name: "imagetool-bench", targets: ["imagetool-bench"]),
    ],
    traits: [
        .trait(name: "WebP", description: "WebP files: decoding and encoding with libwebp."),
        .trait(name: "Loader", description: "Loading and caching: the product PlatformImageLoader."),
        .trait(
            name: "AsyncHTTPClient", description: "The transport of the loader by way of AsyncHTTPClient.",
            enabledTraits: ["Loader"]),
        .trait(
            name: "Tool", description: "The command-line tools `imagetool` and `imagetool-bench`.",
            enabledTraits: ["Loader"]),
        .trait(
            name: "Metrics", description: "Feeds swift-metrics with the records of the loader.",
            enabledTraits: ["Loader"]),
        .trait(
            name: "Service",
            description: "The thumbnail service: the product PlatformImageService and `imagetool serve`.",
            enabledTraits: ["Loader", "AsyncHTTPClient", "Tool", "Metrics"]),
        // The tools are not for users of the libraries, who would otherwise resolve an argument parser.
        .default(enabledTraits: ["WebP", "Loader", "AsyncHTTPClient"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Without its trait FullFoundation, so that the service does not link ICU.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    ] + documentation,
    targets: [
        // The core.
        .target(
            name: "CImageCodecs", cSettings: codecSettings + [webPDefinition, .headerSearchPath(".")],
            linkerSettings: ["png", "jpeg", "gif", "tiff", "lcms2", "deflate", "z", "m"].map { .linkedLibrary($0) }
                + ["webp", "webpmux"].map { .linkedLibrary($0, .when(traits: ["WebP"])) } + librarySearchPaths),
        .target(name: "CPlatformImageSandbox", cSettings: codecSettings),
        .target(
            name: "PlatformImage", dependencies: ["CImageCodecs", "CPlatformImageSandbox"],
            swiftSettings: coreSettings),
        // The sandboxed process that decodes for DecodeWorkers; programs ship it beside their own executable.
        .executableTarget(
            name: "imagetool-decoder", dependencies: ["PlatformImage"], swiftSettings: settings,
            linkerSettings: toolLinkerSettings),

        // The C interface: the header, and its functions in Swift. Without strict memory safety, because almost every
        // line uses pointers of the caller.
        .target(name: "CPlatformImageInterface", path: "Sources/CInterface", cSettings: codecSettings),
        .target(
            name: "PlatformImageC", dependencies: ["PlatformImage", "CPlatformImageInterface"],
            swiftSettings: settings),

        // The loader.
        .target(
            name: "CPlatformImageChecksums", path: "Sources/CChecksums", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("xxhash")]),
        .target(
            name: "CPlatformImageContentCoding", path: "Sources/CContentCoding", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "PlatformImageLoader",
            dependencies: [
                "PlatformImage", "CPlatformImageChecksums", "CPlatformImageContentCoding",
                crypto("Loader"), logging("Loader"), metrics("Metrics"), asyncHTTPClient("AsyncHTTPClient"),
                nio("NIOCore", "AsyncHTTPClient"), nio("NIOPosix", "AsyncHTTPClient"),
                nio("NIOHTTP1", "AsyncHTTPClient"), nioHTTP2("NIOHTTP2", "AsyncHTTPClient"), nioSSL("AsyncHTTPClient"),
            ],
            path: "Sources/Loader", swiftSettings: settings),
        .target(
            name: "PlatformImageURLSession", dependencies: ["PlatformImage", "PlatformImageLoader"],
            path: "Sources/LoaderURLSession", swiftSettings: settings),

        // The thumbnail service.
        .target(
            name: "CPlatformImageHostNames", path: "Sources/CHostNames",
            cSettings: codecSettings + [.define("PIHN_ENABLED", .when(traits: ["Service"]))],
            linkerSettings: [.linkedLibrary("idn2", .when(traits: ["Service"]))]),
        .target(
            name: "PlatformImageService",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "CPlatformImageHostNames",
                crypto("Service"), logging("Service"), metrics("Service"), asyncHTTPClient("Service"),
                nio("NIOCore", "Service"), nio("NIOPosix", "Service"), nio("NIOHTTP1", "Service"),
                nioExtras("NIOHTTPTypes", "Service"), httpTypes("Service"),
                .product(name: "Hummingbird", package: "hummingbird", condition: when("Service")),
                .product(name: "Configuration", package: "swift-configuration", condition: when("Service")),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: when("Service")),
                .product(name: "UnixSignals", package: "swift-service-lifecycle", condition: when("Service")),
            ],
            path: "Sources/ThumbnailService",
            // Embedded instead of in a bundle, because users copy the tool as one file.
            resources: [.embedInCode("Gallery/Resources")], swiftSettings: settings),

        // The tools. Only imagetool, with the worker program imagetool-decoder, is for users; imagetool-bench measures
        // and demonstrates.
        .target(
            name: "PlatformImageToolSupport",
            dependencies: ["PlatformImage", "PlatformImageLoader", service, argumentParser, logging("Service")],
            path: "Sources/ToolSupport", swiftSettings: settings),
        .executableTarget(
            name: "imagetool",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "PlatformImageToolSupport", service, argumentParser,
                crypto("Tool"), logging("Service"),
            ],
            swiftSettings: settings, linkerSettings: toolLinkerSettings),
        .target(
            name: "CPlatformImageBaselines", path: "Sources/CBaselines", cSettings: codecSettings + [webPDefinition],
            linkerSettings: [.linkedLibrary("webpdemux", .when(traits: ["WebP"]))]),
        .target(
            name: "PlatformImageBenchmarking", dependencies: ["PlatformImage", "CPlatformImageBaselines"],
            path: "Sources/Benchmarking", swiftSettings: settings),
        .target(
            name: "PlatformImageLoopbackOrigin",
            dependencies: [
                crypto("AsyncHTTPClient"), nio("NIOCore", "AsyncHTTPClient"), nio("NIOPosix", "AsyncHTTPClient"),
                nio("NIOTLS", "AsyncHTTPClient"), nioHTTP2("NIOHPACK", "AsyncHTTPClient"),
                nioHTTP2("NIOHTTP2", "AsyncHTTPClient"), nioSSL("AsyncHTTPClient"),
            ],
            path: "Sources/LoopbackOrigin", swiftSettings: settings),
        .executableTarget(
            name: "imagetool-bench",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "PlatformImageToolSupport", "PlatformImageBenchmarking",
                "PlatformImageLoopbackOrigin", "CPlatformImageChecksums", service,
                asyncHTTPClient("AsyncHTTPClient"), nio("NIOCore", "AsyncHTTPClient"), argumentParser,
                logging("Service"),
            ],
            swiftSettings: settings, linkerSettings: toolLinkerSettings),

        // Tests.
        .target(
            name: "PlatformImageTestSupport", dependencies: ["PlatformImage"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "PlatformImagePlantedDecoder", dependencies: ["PlatformImage"], path: "Tests/PlantedDecoder",
            swiftSettings: settings),
        .testTarget(
            name: "PlatformImageTests",
            dependencies: [
                "PlatformImage", "PlatformImageBenchmarking", "PlatformImageTestSupport", "imagetool-decoder",
                "PlatformImagePlantedDecoder",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PlatformImageCTests",
            dependencies: ["PlatformImageC", "CPlatformImageInterface", "PlatformImage", "PlatformImageTestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "PlatformImageDiskCacheProbe", dependencies: ["PlatformImage", "PlatformImageLoader"],
            path: "Tests/DiskCacheProbe", swiftSettings: settings),
        .testTarget(
            name: "LoaderTests",
            dependencies: [
                "PlatformImageLoader", "PlatformImageLoopbackOrigin", "PlatformImageDiskCacheProbe",
                "PlatformImageTestSupport", "CPlatformImageContentCoding", "imagetool-decoder", logging("Loader"),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: when("Metrics")),
                asyncHTTPClient("AsyncHTTPClient"), nio("NIOCore", "AsyncHTTPClient"),
                nio("NIOEmbedded", "AsyncHTTPClient"), nio("NIOHTTP1", "AsyncHTTPClient"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LoaderURLSessionTests",
            dependencies: [
                "PlatformImageURLSession", "PlatformImageLoader", "PlatformImageLoopbackOrigin",
                "PlatformImageTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServiceTests",
            dependencies: [
                "PlatformImageService", "PlatformImageLoader", "PlatformImageLoopbackOrigin",
                "PlatformImageTestSupport", "imagetool-decoder", asyncHTTPClient("Service"), logging("Service"),
                metrics("Service"),
                nio("NIOCore", "Service"), nio("NIOHTTP1", "Service"), nio("NIOPosix", "Service"),
                nio("NIOEmbedded", "Service"), httpTypes("Service"), nioExtras("NIOHTTPTypes", "Service"),
                nioExtras("NIOHTTPTypesHTTP1", "Service"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "imagetoolTests",
            dependencies: [
                "imagetool", "imagetool-bench", "imagetool-decoder", "PlatformImageToolSupport", "PlatformImageLoader",
                "PlatformImageLoopbackOrigin", "PlatformImageTestSupport", logging("Service"),
            ],
            swiftSettings: settings),
        // Examples that are run as tests; their folder is part of the documentation.
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", service, "PlatformImageLoopbackOrigin",
                "PlatformImageTestSupport", crypto("Loader"), logging("Loader"), metrics("Metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: when("Metrics")),
                asyncHTTPClient("AsyncHTTPClient"), nio("NIOCore", "AsyncHTTPClient"),
                nio("NIOPosix", "AsyncHTTPClient"), nio("NIOHTTP1", "AsyncHTTPClient"), httpTypes("Service"),
                .product(name: "Hummingbird", package: "hummingbird", condition: when("Service")),
            ],
            path: "Examples/recipes", exclude: ["README.md"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

// The condition of dependencies that only one trait needs.
func when(_ trait: String) -> TargetDependencyCondition? { .when(traits: [trait]) }
func crypto(_ trait: String) -> Target.Dependency {
    .product(name: "Crypto", package: "swift-crypto", condition: when(trait))
}
func logging(_ trait: String) -> Target.Dependency {
    .product(name: "Logging", package: "swift-log", condition: when(trait))
}
func metrics(_ trait: String) -> Target.Dependency {
    .product(name: "Metrics", package: "swift-metrics", condition: when(trait))
}
func asyncHTTPClient(_ trait: String) -> Target.Dependency {
    .product(name: "AsyncHTTPClient", package: "async-http-client", condition: when(trait))
}
func httpTypes(_ trait: String) -> Target.Dependency {
    .product(name: "HTTPTypes", package: "swift-http-types", condition: when(trait))
}
func nio(_ product: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio", condition: when(trait))
}
func nioHTTP2(_ product: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio-http2", condition: when(trait))
}
func nioSSL(_ trait: String) -> Target.Dependency {
    .product(name: "NIOSSL", package: "swift-nio-ssl", condition: when(trait))
}
func nioExtras(_ product: String, _ trait: String) -> Target.Dependency {
    .product(name: product, package: "swift-nio-extras", condition: when(trait))
}
var argumentParser: Target.Dependency {
    .product(name: "ArgumentParser", package: "swift-argument-parser", condition: when("Tool"))
}
var service: Target.Dependency { .target(name: "PlatformImageService", condition: when("Service")) }

var settings: [SwiftSetting] {
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

var coreSettings: [SwiftSetting] { settings + [.strictMemorySafety()] }

// Full RELRO: the dynamic linker fills its tables at start, and they are read-only from then on.
var toolLinkerSettings: [LinkerSetting] {
    [
        .unsafeFlags(
            ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))
    ]
}

// Debug builds compile C with optimisation too: -O2 overrides the preceding -O0 of SwiftPM. Release builds check the
// stack and the buffer sizes of calls to libc; debug builds can use the stricter sanitizers.
var codecSettings: [CSetting] {
    [
        .unsafeFlags(["-O2"], .when(configuration: .debug)),
        .unsafeFlags(["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"], .when(configuration: .release)),
        .unsafeFlags(homebrewFolders.map { "-I\($0)/include" }, .when(platforms: [.macOS])),
    ]
}

var webPDefinition: CSetting { .define("IMGC_WEBP", .when(traits: ["WebP"])) }

// Every product with C code contains CImageCodecs, so only that target adds the paths to the linker's command.
var librarySearchPaths: [LinkerSetting] {
    [.unsafeFlags(homebrewFolders.map { "-L\($0)/lib" }, .when(platforms: [.macOS]))]
}

// Homebrew installs outside of the compiler's search paths. Not by pkg-config: giflib has no .pc file, the files of
// libpng and libtiff require zlib's, which macOS does not have, and without the command pkg-config SwiftPM warns even
// when all libraries are installed. The folder of jpeg-turbo comes first, because the formula jpeg has the same names.
var homebrewFolders: [String] {
    #if arch(arm64)
    let usual = "/opt/homebrew"
    #else
    let usual = "/usr/local"
    #endif
    let prefix = Context.environment["HOMEBREW_PREFIX"] ?? usual
    return [prefix + "/opt/jpeg-turbo", prefix]
}
