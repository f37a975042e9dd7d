// swift-tools-version: 6.2
import PackageDescription

// Programs that measure the core. They build in seconds: without traits no other package is resolved.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "PlatformImage", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "decode-bench", dependencies: [.product(name: "Benchmarking", package: "PlatformImage")]),
        .executableTarget(
            name: "instructions", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")]),
    ],
    swiftLanguageModes: [.v6]
)
