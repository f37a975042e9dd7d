// swift-tools-version: 6.2
// Not built by the checks of this repository, which fetch no package.
import PackageDescription

let package = Package(
    name: "VaporEndpoint",
    platforms: [.macOS(.v26)],
    products: [.library(name: "VaporEndpoint", targets: ["VaporEndpoint"])],
    dependencies: [
        .package(name: "PlatformImage", path: "../../.."),
        .package(url: "https://github.com/vapor/vapor", from: "4.106.0"),
    ],
    targets: [
        .target(
            name: "VaporEndpoint",
            dependencies: [
                .product(name: "PlatformImageService", package: "PlatformImage"),
                .product(name: "Vapor", package: "vapor"),
            ])
    ]
)
