// swift-tools-version: 6.2
// Not built by the checks of this repository, which fetch no package.
import PackageDescription

let package = Package(
    name: "LoggingBridge",
    platforms: [.macOS(.v26)],
    products: [.library(name: "LoggingBridge", targets: ["LoggingBridge"])],
    dependencies: [
        .package(name: "PlatformImage", path: "../../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .target(
            name: "LoggingBridge",
            dependencies: [
                .product(name: "PlatformImageLoader", package: "PlatformImage"),
                .product(name: "Logging", package: "swift-log"),
            ])
    ]
)
