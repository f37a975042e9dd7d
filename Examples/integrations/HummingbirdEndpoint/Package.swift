// swift-tools-version: 6.2
// Not built by the checks of this repository, which fetch no package.
import PackageDescription

let package = Package(
    name: "HummingbirdEndpoint",
    platforms: [.macOS(.v26)],
    products: [.library(name: "HummingbirdEndpoint", targets: ["HummingbirdEndpoint"])],
    dependencies: [
        .package(name: "PlatformImage", path: "../../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    ],
    targets: [
        .target(
            name: "HummingbirdEndpoint",
            dependencies: [
                .product(name: "PlatformImageService", package: "PlatformImage"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
