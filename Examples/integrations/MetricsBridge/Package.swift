// swift-tools-version: 6.2
// Not built by the checks of this repository, which fetch no package.
import PackageDescription

let package = Package(
    name: "MetricsBridge",
    platforms: [.macOS(.v26)],
    products: [.library(name: "MetricsBridge", targets: ["MetricsBridge"])],
    dependencies: [
        .package(name: "PlatformImage", path: "../../.."),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "MetricsBridge",
            dependencies: [
                .product(name: "PlatformImageLoader", package: "PlatformImage"),
                .product(name: "Metrics", package: "swift-metrics"),
            ])
    ]
)
