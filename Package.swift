// swift-tools-version: 6.2
import PackageDescription

// The core (CImageCodecs, PlatformImage) depends on no package: with `traits: []` none is resolved.
// PLATFORMIMAGE_DOCS=1 adds the plugin that builds the documentation.
let documentation: [Package.Dependency] =
    Context.environment["PLATFORMIMAGE_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
    name: "PlatformImage",
    products: [
        .library(name: "PlatformImage", targets: ["PlatformImage"]),
        .library(name: "Loader", targets: ["Loader"]),
        .library(name: "LoaderURLSession", targets: ["LoaderURLSession"]),
        .library(name: "Benchmarking", targets: ["Benchmarking"]),
        .library(name: "ThumbnailService", targets: ["ThumbnailService"]),
        .executable(name: "imagetool", targets: ["imagetool"]),
    ],
    traits: [
        .trait(name: "Loader", description: "Loading and caching: the product Loader."),
        .trait(
            name: "AsyncHTTPClient", description: "The transport of the loader by way of AsyncHTTPClient.",
            enabledTraits: ["Loader"]),
        .trait(name: "Tool", description: "The command-line tool `imagetool`.", enabledTraits: ["Loader"]),
        .trait(
            name: "Metrics", description: "Feeds swift-metrics with the records of the loader.",
            enabledTraits: ["Loader"]),
        .trait(
            name: "Service", description: "The thumbnail service: the product ThumbnailService and `imagetool serve`.",
            enabledTraits: ["Loader", "AsyncHTTPClient", "Tool", "Metrics"]),
        .default(enabledTraits: ["Loader", "AsyncHTTPClient", "Tool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    ] + documentation,
    targets: [
        .target(
            name: "CImageCodecs",
            cSettings: codecSettings,
            linkerSettings: [
                .linkedLibrary("png"), .linkedLibrary("jpeg"), .linkedLibrary("gif"), .linkedLibrary("tiff"),
                .linkedLibrary("lcms2"), .linkedLibrary("deflate"), .linkedLibrary("z"), .linkedLibrary("m"),
            ]),
        .target(name: "PlatformImage", dependencies: ["CImageCodecs"], swiftSettings: coreSettings),
        .target(
            name: "CChecksums", cSettings: codecSettings, linkerSettings: [.linkedLibrary("xxhash")]),
        .target(
            name: "CContentCoding", cSettings: codecSettings, linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "Loader",
            dependencies: [
                "PlatformImage", "CChecksums", "CContentCoding",
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Loader"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Loader"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            swiftSettings: settings),
        .target(name: "LoaderURLSession", dependencies: ["Loader"], swiftSettings: settings),
        .target(
            name: "ThumbnailService",
            dependencies: [
                "Loader", "PlatformImage",
                .product(
                    name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Service"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Service"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Service"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "Hummingbird", package: "hummingbird", condition: .when(traits: ["Service"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Service"])),
                .product(
                    name: "UnixSignals", package: "swift-service-lifecycle", condition: .when(traits: ["Service"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Service"])),
                .product(
                    name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings),
        .target(
            name: "LoopbackOrigin",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOTLS", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHPACK", package: "swift-nio-http2", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP2", package: "swift-nio-http2", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            swiftSettings: settings),
        .target(name: "CBenchTwins", cSettings: codecSettings),
        .target(name: "Benchmarking", dependencies: ["PlatformImage", "CBenchTwins"], swiftSettings: settings),
        .executableTarget(
            name: "imagetool",
            dependencies: [
                "PlatformImage", "Loader", "LoopbackOrigin", "Benchmarking", "CChecksums",
                .target(name: "ThumbnailService", condition: .when(traits: ["Service"])),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"])),
                .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Tool"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings,
            linkerSettings: toolLinkerSettings),
        .target(
            name: "TestSupport", dependencies: ["PlatformImage"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "imagetoolTests",
            dependencies: [
                "imagetool", "Loader", "LoopbackOrigin", "TestSupport",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PlatformImageTests", dependencies: ["PlatformImage", "Benchmarking", "TestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "DiskCacheProbe", dependencies: ["Loader"], path: "Tests/DiskCacheProbe", swiftSettings: settings),
        .testTarget(
            name: "LoaderTests",
            dependencies: [
                "Loader", "LoopbackOrigin", "DiskCacheProbe", "TestSupport", "CContentCoding",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Loader"])),
                .product(name: "MetricsTestKit", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ThumbnailServiceTests",
            dependencies: [
                "ThumbnailService", "Loader", "LoopbackOrigin", "TestSupport",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Service"])),
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Service"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Service"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "NIOEmbedded", package: "swift-nio", condition: .when(traits: ["Service"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["Service"])),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: .when(traits: ["Service"])),
                .product(
                    name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras", condition: .when(traits: ["Service"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LoaderURLSessionTests", dependencies: ["LoaderURLSession", "Loader", "LoopbackOrigin"],
            swiftSettings: settings),
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

// Debug builds decode with optimised C too: -O2 comes after SwiftPM's -O0 and wins. What is shipped checks its stack and
// the sizes that libc's copies are given; sanitizers, which look closer, are for debug builds.
var codecSettings: [CSetting] {
    [
        .unsafeFlags(["-O2"], .when(configuration: .debug)),
        .unsafeFlags(["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"], .when(configuration: .release)),
    ]
}
