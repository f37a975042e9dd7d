import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Content-Type and `Vary` for Accept fields, kinds of sources and allowed formats (Docs/service-configuration.md,
/// "Output format").
@Suite struct NegotiatedResultTests {
    /// Kind of a source; the letters of ``Row/results`` are in the order of the cases.
    enum Source: CaseIterable {
        case opaqueJPEG, opaquePNG, alphaPNG, stillGIF, transparentGIF, animatedGIF, animatedPNG, tiff, bmp
        case opaqueWebP, alphaWebP, animatedWebP

        static var available: [Self] {
            allCases.filter {
                EncodedFormat.webp.isAvailable || ![.opaqueWebP, .alphaWebP, .animatedWebP].contains($0)
            }
        }

        var bytes: [UInt8] {
            get throws {
                let encoder = ImageEncoder()
                let opaque = Bitmap.landscape(24, 16)
                switch self {
                case .opaqueJPEG: return try encoder.encode(opaque, as: .jpeg)
                case .opaquePNG: return try encoder.encode(opaque, as: .png)
                case .alphaPNG: return try encoder.encode(opaque.withHole(), as: .png)
                case .stillGIF: return try encoder.encode(opaque, as: .gif)
                case .transparentGIF: return try encoder.encode(opaque.withHole(), as: .gif)
                case .animatedGIF: return try Self.animation(.gif)
                case .animatedPNG: return try Self.animation(.png)
                case .tiff: return try Fixture.file("tiff/rgb8-le.tif")
                case .bmp: return try Fixture.file("bmp/rgb24-top-down.bmp")
                case .opaqueWebP: return try encoder.encode(opaque, as: .webp)
                case .alphaWebP: return try encoder.encode(opaque.withHole(), as: .webp)
                case .animatedWebP: return try Self.animation(.webp)
                }
            }
        }

        private static func animation(_ format: EncodedFormat) throws -> [UInt8] {
            let frames = (0..<3).map { index in
                AnimationFrame(
                    Bitmap.landscape(24, 16).brightened(by: UInt8(60 * index)),
                    delay: FrameDelay(numerator: 1, denominator: 10), index: index)
            }
            return try ImageEncoder().encodeAnimation(frames, as: format)
        }
    }

    struct Row: Sendable {
        let accept: String?
        /// One letter for each source: j JPEG, p PNG, g GIF, w WebP with one frame; G, A and W GIF, APNG and WebP with
        /// all frames.
        let results: String
    }

    static let chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
    static let firefox = "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"

    /// Allowed formats, other settings and the expected results.
    static let tables: [(name: String, formats: [NegotiatedFormat], isAuto: Bool, sendsWebP: Bool, rows: [Row])] = [
        (
            "all formats", NegotiatedFormat.allCases, true, false,
            [
                Row(accept: nil, results: "jppgpGpjjjpj"), Row(accept: "*/*", results: "jppgpGpjjjpj"),
                Row(accept: "image/*,*/*;q=0.8", results: "jppgpGpjjjpj"),
                Row(accept: chrome, results: "wwwwwWWwwwwW"), Row(accept: firefox, results: "wwwwwWWwwwwW"),
                Row(accept: "image/webp", results: "wwwwwWWwwwwW"),
                Row(accept: "image/webp;q=0,*/*", results: "jppgpGpjjjpj"),
                Row(accept: "image/png,image/*;q=0.8,*/*;q=0.5", results: "jppgpGpjjjpj"),
                Row(accept: "image/webp;q=0.5,image/jpeg,image/png,image/gif", results: "jppgpGGjjjpG"),
                Row(accept: "image/apng,*/*", results: "jppgpAAjjjpA"),
                Row(accept: "image/jpeg", results: "jjjjjjjjjjjj"), Row(accept: "image/png", results: "pppppppppppp"),
                Row(accept: "image/gif", results: "gggggGGggggG"),
                Row(accept: "image/gif,image/png", results: "pppgpGGppppG"),
                Row(accept: "image/gif;q=0,*/*", results: "jppppppjjjpj"),
                Row(accept: "text/html", results: "jppgpGpjjjpj"),
            ]
        ),
        (
            "JPEG and PNG", [.jpeg, .png], true, false,
            [
                Row(accept: nil, results: "jppppppjjjpj"), Row(accept: chrome, results: "jppppppjjjpj"),
                Row(accept: firefox, results: "jppppppjjjpj"), Row(accept: "image/jpeg", results: "jjjjjjjjjjjj"),
                Row(accept: "image/png", results: "pppppppppppp"), Row(accept: "image/webp", results: "jppppppjjjpj"),
            ]
        ),
        (
            "WebP and JPEG", [.webp, .jpeg], true, false,
            [Row(accept: nil, results: "jjjjjjjjjjjj"), Row(accept: chrome, results: "wwwwwWWwwwwW")]
        ),
        (
            "output.autoWebP", NegotiatedFormat.allCases, false, true,
            [
                Row(accept: nil, results: "jppgpGpjjjpj"), Row(accept: "*/*", results: "jppgpGpjjjpj"),
                Row(accept: chrome, results: "wwwwwGWwwwwW"),
                Row(accept: "image/webp;q=0.1,image/jpeg", results: "wwwwwGWwwwwW"),
                Row(accept: "image/jpeg", results: "jppgpGpjjjpj"),
            ]
        ),
        (
            "no negotiation", NegotiatedFormat.allCases, false, false,
            [
                Row(accept: nil, results: "jppgpGpjjjpj"), Row(accept: chrome, results: "jppgpGpjjjpj"),
                Row(accept: "image/jpeg", results: "jppgpGpjjjpj"),
            ]
        ),
    ]

    @Test(arguments: tables.indices)
    func contentTypeAndVaryFollowTheAcceptFieldTheSourceAndTheAllowedFormats(_ index: Int) async throws {
        let table = Self.tables[index]
        try await withService {
            $0.output.negotiates = table.isAuto
            $0.output.formats = table.formats
            $0.output.sendsWebP = table.sendsWebP
        } _: { service in
            let varies = table.isAuto || table.sendsWebP && EncodedFormat.webp.isAvailable
            for row in table.rows
            where EncodedFormat.webp.isAvailable || !row.results.contains(where: { "wW".contains($0) }) {
                let fields = row.accept.map { [("Accept", $0)] } ?? []
                for (source, letter) in zip(Source.allCases, row.results) where Source.available.contains(source) {
                    let reply = try await service.send(
                        "/post/unsafe/12x8/body", method: "POST", fields: fields, body: source.bytes)
                    let note = "\(table.name), \(row.accept ?? "-"), \(source)"
                    #expect(reply.status == 200, "\(note)")
                    #expect(reply["Content-Type"] == Self.contentType(letter), "\(note)")
                    #expect(reply["Vary"] == (varies ? "Accept" : nil), "\(note)")
                    let header = try ImageDecoder().header(of: reply.body)
                    #expect(header.frameCount ?? 1 == (letter.isUppercase ? 3 : 1), "\(note)")
                }
            }
        }
    }

    private static func contentType(_ letter: Character) -> String? {
        switch letter {
        case "j": "image/jpeg"
        case "p": "image/png"
        case "g", "G": "image/gif"
        case "w", "W": "image/webp"
        case "A": "image/apng"
        default: nil
        }
    }
}

extension Bitmap {
    /// The bitmap with transparent pixels in its left upper quarter.
    fileprivate func withHole() -> Bitmap {
        let all = copyBytes()
        return Bitmap(width: width, height: height) { pixels in
            for index in 0..<width * height {
                let isHole = index % width < width / 2 && index / width < height / 2
                for channel in 0..<4 { pixels[4 * index + channel] = isHole ? 0 : all[4 * index + channel] }
            }
        }
    }

    /// The bitmap with larger samples of red, green and blue, modulo 256.
    fileprivate func brightened(by amount: UInt8) -> Bitmap {
        let all = copyBytes()
        return Bitmap(width: width, height: height) { pixels in
            for index in 0..<4 * width * height { pixels[index] = index % 4 == 3 ? all[index] : all[index] &+ amount }
        }
    }
}
