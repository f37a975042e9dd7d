// swift-tools-version: 6.2
import PackageDescription

// The program that counts instructions of the core. It builds in seconds, because it needs only the core.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v26)],
    dependencies: [.package(name: "PlatformImage", path: "..", traits: ["WebP"])],
    targets: [
        .executableTarget(
            name: "instructions", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")])
    ],
    swiftLanguageModes: [.v6]
)
