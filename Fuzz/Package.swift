// swift-tools-version: 6.2
import PackageDescription

// The fuzz target for what is written in Swift: BMP, EXIF, signatures. The C codecs have fuzz.c. Fuzz/run passes the
// flags that instrument every module: those of a target reach no dependency.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "PlatformImage", path: "..", traits: [])],
    targets: [
        .executableTarget(
            name: "FuzzBMP", dependencies: [.product(name: "PlatformImage", package: "PlatformImage")],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    ],
    swiftLanguageModes: [.v6]
)
