// swift-tools-version: 6.2
// Not built by the checks of this repository, which fetch no package.
import PackageDescription

let package = Package(
    name: "NIOBridge",
    platforms: [.macOS(.v26)],
    products: [.library(name: "NIOBridge", targets: ["NIOBridge"])],
    dependencies: [
        .package(name: "PlatformImage", path: "../../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    ],
    targets: [
        .target(
            name: "NIOBridge",
            dependencies: [
                .product(name: "PlatformImage", package: "PlatformImage"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ])
    ]
)
