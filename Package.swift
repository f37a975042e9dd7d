// swift-tools-version: 6.2
import PackageDescription

// No target depends on a package: all libraries are packages of the distribution, which Scripts/bootstrap installs.
// Names of modules and products are unique in a user's package graph: all start with PlatformImage or CPlatformImage,
// except CImageCodecs and the executables.
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
        .default(enabledTraits: ["WebP"]),
    ],
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
        // libcurl is loaded at run time and not linked.
        .target(
            name: "CPlatformImageCurl", path: "Sources/CCurl", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "CPlatformImageDigests", path: "Sources/CDigests", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "CPlatformImageHostNames", path: "Sources/CHostNames", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("idn2")]),
        .target(
            name: "PlatformImageLoader",
            dependencies: [
                "PlatformImage", "CPlatformImageChecksums", "CPlatformImageContentCoding", "CPlatformImageCurl",
                "CPlatformImageDigests", "CPlatformImageHostNames",
            ],
            path: "Sources/Loader", swiftSettings: settings),
        .target(
            name: "PlatformImageURLSession", dependencies: ["PlatformImage", "PlatformImageLoader"],
            path: "Sources/LoaderURLSession", swiftSettings: settings),

        // The HTTP server, which knows no image.
        .target(
            name: "CPlatformImageUV", path: "Sources/CUV", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("uv")]),
        .target(
            name: "PlatformImageHTTPServer", dependencies: ["CPlatformImageUV"], path: "Sources/HTTPServer",
            swiftSettings: coreSettings),

        // The thumbnail service.
        .target(
            name: "PlatformImageService",
            dependencies: ["PlatformImage", "PlatformImageLoader", "PlatformImageHTTPServer"],
            path: "Sources/ThumbnailService",
            // Embedded instead of in a bundle, because users copy the tool as one file.
            resources: [.embedInCode("Gallery/Resources")], swiftSettings: settings),

        // The tools. Only imagetool, with the worker program imagetool-decoder, is for users; imagetool-bench measures
        // and demonstrates.
        .target(
            name: "PlatformImageToolSupport",
            dependencies: ["PlatformImage", "PlatformImageLoader", "PlatformImageService"],
            path: "Sources/ToolSupport",
            // Embedded, because users copy the tool as one file.
            resources: [.embedInCode("Libraries/libraries.txt")], swiftSettings: settings),
        .executableTarget(
            name: "imagetool",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "PlatformImageService", "PlatformImageToolSupport",
            ],
            swiftSettings: settings, linkerSettings: toolLinkerSettings),
        .target(
            name: "CPlatformImageBaselines", path: "Sources/CBaselines", cSettings: codecSettings + [webPDefinition],
            linkerSettings: [.linkedLibrary("webpdemux", .when(traits: ["WebP"]))]),
        .target(
            name: "PlatformImageBenchmarking", dependencies: ["PlatformImage", "CPlatformImageBaselines"],
            path: "Sources/Benchmarking", swiftSettings: settings),
        .target(
            name: "CPlatformImageOriginProtocols", path: "Sources/COriginProtocols", cSettings: codecSettings,
            linkerSettings: ["ssl", "crypto", "nghttp2"].map { .linkedLibrary($0) }),
        .target(
            name: "PlatformImageLoopbackOrigin", dependencies: ["PlatformImage", "CPlatformImageOriginProtocols"],
            path: "Sources/LoopbackOrigin", swiftSettings: settings),
        .target(
            name: "CPlatformImageCurlBaseline", path: "Sources/CCurlBaseline", cSettings: codecSettings,
            linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(
            name: "imagetool-bench",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "PlatformImageService", "PlatformImageToolSupport",
                "PlatformImageBenchmarking", "PlatformImageLoopbackOrigin", "CPlatformImageChecksums",
                "CPlatformImageCurlBaseline",
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
                "PlatformImageTestSupport", "CPlatformImageContentCoding", "imagetool-decoder",
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
            name: "imagetoolTests",
            dependencies: [
                "imagetool", "imagetool-bench", "imagetool-decoder", "PlatformImageToolSupport", "PlatformImageLoader",
                "PlatformImageLoopbackOrigin", "PlatformImageTestSupport",
            ],
            exclude: ["CommandLine/command-line.json"], swiftSettings: settings),
        .executableTarget(
            name: "PlatformImageHTTPServerProbe", dependencies: ["PlatformImageHTTPServer"],
            path: "Tests/HTTPServerProbe", swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests",
            dependencies: [
                "PlatformImageHTTPServer", "CPlatformImageUV", "PlatformImageHTTPServerProbe",
                "PlatformImageTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServiceTests",
            dependencies: [
                "PlatformImageService", "PlatformImageLoader", "PlatformImageHTTPServer",
                "PlatformImageLoopbackOrigin", "PlatformImageTestSupport", "imagetool-decoder",
            ],
            swiftSettings: settings),
        // Examples that are run as tests; their folder is part of the documentation.
        .testTarget(
            name: "RecipeTests",
            dependencies: [
                "PlatformImage", "PlatformImageLoader", "PlatformImageService", "PlatformImageLoopbackOrigin",
                "PlatformImageTestSupport",
            ],
            path: "Examples/recipes", exclude: ["README.md"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu17
)

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
// when all libraries are installed. The folder of jpeg-turbo comes first, because the formula jpeg has the same names;
// that of OpenSSL is needed, because its formula is not linked into the prefix.
var homebrewFolders: [String] {
    #if arch(arm64)
    let usual = "/opt/homebrew"
    #else
    let usual = "/usr/local"
    #endif
    let prefix = Context.environment["HOMEBREW_PREFIX"] ?? usual
    return [prefix + "/opt/jpeg-turbo", prefix + "/opt/openssl@3", prefix]
}
