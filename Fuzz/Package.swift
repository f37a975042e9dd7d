// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets for code written in Swift: BMP, EXIF and signatures; times of animations; metadata; entries of the
// disk cache; the protocol with decode workers; targets of the thumbnail service; HTTP heads and chunked bodies.
// Fuzz/run builds the target FuzzHTTPServer with the sources of the server, which has no product. The target for the C
// codecs is fuzz.c. Fuzz/run passes the flags that instrument every module, because flags of a target do not apply to
// its dependencies.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "PlatformImage", path: "..", traits: ["WebP"])],
    targets: [
        .executableTarget(
            name: "FuzzBMP", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzAnimation", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzMetadata", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzDisk", dependencies: [.product(name: "PlatformImageLoader", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzTarget", dependencies: [.product(name: "PlatformImageService", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzHTTP",
            dependencies: [
                .product(name: "PlatformImage", package: "PlatformImage"),
                .product(name: "PlatformImageLoader", package: "PlatformImage"),
            ],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
        .executableTarget(
            name: "FuzzWorker", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    ],
    swiftLanguageModes: [.v6]
)
