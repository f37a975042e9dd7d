#if FUZZING
import PlatformImage

/// Entry point of `Fuzz/run target`: request targets of all dialects, for sources of any size.
///
/// Only builds with the flag FUZZING contain this type, because the fuzz package sees only public declarations.
public enum TargetFuzzing {
    private static let dialects: Dialects = {
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        configuration.iiif = .init(urlPrefix: "https://a.example/")
        guard let dialects = try? Dialects(configuration) else { preconditionFailure("the configuration is not valid") }
        return dialects
    }()
    private static let policy: SourcePolicy = {
        guard let policy = try? SourcePolicy(allow: ["*.example", "h"]) else { preconditionFailure("policy") }
        return policy
    }()

    /// Parses the bytes after the first seven as a target. Byte 0 selects the prefix of a dialect, the others are
    /// width, height and number of frames of the source, a GIF, whose render is planned.
    public static func read(_ bytes: [UInt8]) {
        guard bytes.count > 7 else { return }
        let prefixes = ["", "/unsafe/", "/iiif/3/", "/iiif/3/a.png/", "/post/unsafe/", "/unsafe/filters:"]
        let kind = Int(bytes[0]) % prefixes.count
        let (width, height) = (max(1, number(bytes[1], bytes[2])), max(1, number(bytes[3], bytes[4])))
        let target = prefixes[kind] + String(decoding: bytes.dropFirst(7), as: UTF8.self)
        do throws(ServiceError) {
            let isPost = prefixes[kind].hasPrefix("/post")
            switch isPost ? try dialects.parsePost(target) : try dialects.parse(target) {
            case .image(let request, _): plan(request, width, height, frames: number(bytes[5], bytes[6]))
            case .info(let request, _): plan(request, width, height, frames: 1)
            case .redirect: break
            }
        } catch {
            precondition(error.reason != .internalFault, error.message)
        }
    }

    private static func plan(_ request: ThumbnailRequest, _ width: Int, _ height: Int, frames: Int) {
        precondition(!request.canonicalBytes.isEmpty)
        if case .url(let url) = request.source {
            precondition(url.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "the URL is not ASCII")
            _ = try? policy.validate(url)
        }
        writtenTargetIsEqual(request)
        guard
            let plan = try? SizeRules().plan(
                request.operations, request.output, sourceWidth: width, sourceHeight: height)
        else { return }
        precondition(min(plan.width, plan.height, plan.resultWidth, plan.resultHeight) >= 1, "an empty result")
        precondition(plan.crop.intersection(with: plan.region) == plan.crop, "the crop is outside the image")
        guard let header = try? ImageDecoder().header(of: gif(width, height, frames: frames)) else { return }
        for format in [ResultFormat.still(.webp), .animation(.gif), .animation(.webp)] {
            let work = RenderWork(request, header, format, comparesLosslessWebP: true)
            precondition(work.nanoseconds(of: plan) >= 0)
        }
        precondition(AnimationCost(header, plan, DecodeLimits(), SizeRules()).byteCount >= 0)
        _ = request.canonicalIIIF(plan)
    }

    /// A thumbor target that is written from the request is the same request.
    private static func writtenTargetIsEqual(_ request: ThumbnailRequest) {
        guard case .url = request.source, let text = request.thumborParts else { return }
        guard case .image(let again, _)? = try? dialects.parse("/unsafe/" + text) else {
            preconditionFailure("the written target is refused")
        }
        precondition(again.canonicalBytes == request.canonicalBytes, "the written target is another request")
    }

    /// A GIF with at most 32 frames of one pixel.
    private static func gif(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
        let size = [width & 0xFF, width >> 8 & 0xFF, height & 0xFF, height >> 8 & 0xFF].map { UInt8($0) }
        let head = Array("GIF89a".utf8) + size + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]
        return head + (0...frames % 32).flatMap { _ in frame } + [0x3B]
    }

    private static func number(_ high: UInt8, _ low: UInt8) -> Int { Int(high) << 8 | Int(low) }
}
#endif
