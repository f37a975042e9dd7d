import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Random and mutated targets. A parsed target can be written and parsed again, and gives a plan or an error for every
/// source. The number of parser steps is proportional to the length of the target.
@Suite struct ParserFuzzTests {
    static let pieces: [String] = [
        "/", "//", "unsafe/", "debug/", "meta/", "trim/", "trim:top-left/", "trim:bottom-right:9/", "1x2:30x40/",
        "9x9:1x1/", "fit-in/", "full-fit-in/", "adaptive-fit-in/", "adaptive-full-fit-in/", "300x200/", "-300x-200/",
        "300x/", "x200/", "x/", "0x0/", "origx200/", "origxorig/", "left/", "right/", "center/", "top/", "middle/",
        "bottom/", "smart/", "filters:", "):", ")/", "(", ")", ":", ",", "'", "%", "%2", "%2F", "%00", "%C3%BC", "ü",
        "?", "#", "x", "-", "+", ".", "0", "1e9", "NaN", "99999999999999999999", "\u{663}", "quality(80)",
        "format(png)",
        "fill(red,true)", "fill(auto)", "fill(blur,1)", "background_color(00f8)", "no_upscale()", "upscale()",
        "proportion(0.3)", "stretch()", "max_bytes(500)", "strip_exif()", "rotate(90)", "rotate(-180)",
        "focal(1x2:30x40)", "page(2)", "grayscale()", "blur(3,1.5)", "sharpen(1,2,true)", "brightness(-9)",
        "contrast(9)", "saturation(1.5)", "max_age(60)", "autojpg()", "dpr(1.5)", "blurhash()", "equalize()",
        "round_corner(9|8,1,2,3,true)", "rgb(1,2,3)", "convolution(1;2;3;4,2,false)", "expire(1700000000000)",
        "attachment(a)", "watermark(http://h/a.png,0,0)", "http://h.example/a.jpg", "h/a b.jpg", "https%3A%2F%2Fh%2Fa",
        "full/", "square/", "0,0,9,9/", "pct:1,2,3,4/", "max/", "^max/", "9,/", ",9/", "!9,9/", "pct:50/", "90/", "!0/",
        "default.jpg", "gray.png", "bitonal.jpg", "info.json",
    ]

    /// Number of targets; debug builds are limited to about five seconds.
    static var rounds: Int { isOptimized ? 200_000 : 12_000 }

    @Test(.requirement("SV14")) func randomThumborTargetIsParsedOrRejectedInALinearNumberOfSteps() {
        var random = SplitMix(seed: 8)
        var (read, refused) = (0, 0)
        for _ in 0..<Self.rounds / 2 {
            let target = Self.target(&random)
            switch check(target, &random) {
            case true: read += 1
            case false: refused += 1
            }
        }

        // Accepted and rejected targets both occur often enough.
        #expect(read > Self.rounds / 20)
        #expect(refused > Self.rounds / 100)
    }

    @Test(.requirement("SV14")) func mutatedThumborTargetIsParsedOrRejectedInALinearNumberOfSteps() {
        var random = SplitMix(seed: 9)
        let targets = [
            "meta/trim:bottom-right:9/10x11:120x130/fit-in/-300x-200/left/top/smart/"
                + "filters:grayscale():blur(3,1.5)/h/a",
            "adaptive-full-fit-in/300x200/filters:fill(red,true):rotate(90):proportion(0.5):quality(70)/http://h/a.jpg",
            "300x200/right/filters:focal(1x2:30x40):round_corner(9|8,1,2,3,1):convolution(1;2;3;4,2)/https%3A%2F%2Fh",
        ].map { Array($0.utf8) }
        for _ in 0..<Self.rounds / 2 {
            var target = targets[Int.random(in: targets.indices, using: &random)]
            for _ in 0...Int.random(in: 0..<3, using: &random) { Self.change(&target, &random) }
            _ = check(target, &random)
        }
    }

    @Test(.requirement("SV14")) func randomIIIFTargetIsParsedOrRejectedWithoutTrapping() throws {
        var random = SplitMix(seed: 10)
        var read = 0
        for _ in 0..<Self.rounds / 6 {
            var parts: [String] = []
            for choices in [
                Self.pieces[90..<94], Self.pieces[94..<100], Self.pieces[100..<102], Self.pieces[102..<105],
            ] {
                let isFitting = Int.random(in: 0..<8, using: &random) > 0
                parts.append((isFitting ? choices : Self.pieces[...]).randomElement(using: &random) ?? "")
            }
            guard
                case .success(.image(let request)) = Result(catching: { () throws(ServiceError) in
                    try IIIFDialect().parse(Array("/iiif/3/id/\(parts.joined())".utf8))
                })
            else { continue }
            read += 1
            let side = 1...1200
            let (width, height) = (Int.random(in: side, using: &random), Int.random(in: side, using: &random))
            guard let plan = plan(request, width, height) else { continue }
            let text = try #require(request.canonicalIIIF(plan))
            guard case .image(let again) = try IIIFDialect().parse(Array("/iiif/3/id/\(text)".utf8)) else {
                Issue.record("\(text) is not an image request")
                continue
            }
            #expect(again.canonicalIIIF(try #require(self.plan(again, width, height))) == text)
        }
        #expect(read > Self.rounds / 60)
    }

    /// Each target has 8,000 bytes and repeats one piece of a target.
    @Test(.requirement("SV14")) func numberOfParserStepsIsLinearInTheTargetLength() {
        for piece in Self.pieces + [
            "filters:a(", "filters:grayscale():", "a(", "(a", "a:", "'a,", "%25", "trim:", "1x",
        ] {
            for prefix in ["", "filters:", "300x200/"] {
                let target = Array((prefix + String(repeating: piece, count: 8000 / piece.utf8.count)).utf8)
                var scanner = TargetScanner(target)
                _ = Result { () throws(ServiceError) in
                    try ThumborDialect().parse(&scanner, isDecoded: false, query: nil, isBody: false)
                }
                #expect(scanner.steps <= 2 * target.count + 2, "\(prefix)\(piece)")
            }
        }
    }

    /// Returns true when the target was parsed.
    private func check(_ target: [UInt8], _ random: inout SplitMix) -> Bool {
        var scanner = TargetScanner(target)
        let result = Result { () throws(ServiceError) in
            try ThumborDialect().parse(&scanner, isDecoded: false, query: nil, isBody: false)
        }
        #expect(scanner.steps <= 2 * target.count + 2)
        guard case .success(let request) = result else {
            #expect(result.refusal == .malformed)
            return false
        }
        guard let text = request.thumborParts else {
            Issue.record("no thumbor target for \(String(decoding: target, as: UTF8.self))")
            return true
        }
        var second = TargetScanner(Array(text.utf8))
        let again = Result { () throws(ServiceError) in
            try ThumborDialect().parse(&second, isDecoded: false, query: nil, isBody: false)
        }
        if case .success(let again) = again {
            let isSame = again.canonicalBytes == request.canonicalBytes
            #expect(isSame, "\(String(decoding: target, as: UTF8.self)) is written as \(text)")
        } else {
            Issue.record("the written target \(text) is rejected")
        }
        let side = 1...3000
        let plan = plan(request, Int.random(in: side, using: &random), Int.random(in: side, using: &random))
        if let plan {
            #expect(plan.crop.intersection(with: plan.region) == plan.crop)
            #expect(min(plan.width, plan.height, plan.resultWidth, plan.resultHeight) >= 1)
            #expect(max(plan.width, plan.height, plan.resultWidth, plan.resultHeight) <= 8192)
        }
        return true
    }

    private func plan(_ request: ThumbnailRequest, _ width: Int, _ height: Int) -> RenderPlan? {
        let result = Result { () throws(ServiceError) in
            try SizeRules().plan(request.operations, request.output, sourceWidth: width, sourceHeight: height)
        }
        if case .failure(let error) = result { #expect([.limit, .malformed].contains(error.reason)) }
        return try? result.get()
    }

    /// A random target: parts mostly in order, filters mostly complete.
    private static func target(_ random: inout SplitMix) -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            text += pieces.randomElement(using: &random) ?? ""
        }
        if Bool.random(using: &random) { text += pieces[8..<29].randomElement(using: &random) ?? "" }
        if Bool.random(using: &random) {
            let filters = (0...Int.random(in: 0..<4, using: &random)).map { _ in
                pieces[54..<87].randomElement(using: &random) ?? ""
            }
            text += "filters:" + filters.joined(separator: ":") + "/"
        }
        return Array((text + "h/a.jpg").utf8)
    }

    private static func change(_ target: inout [UInt8], _ random: inout SplitMix) {
        let index = Int.random(in: target.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: target[index] = UInt8.random(in: 0...255, using: &random)
        case 1: target[index] = "0123456789x:/()-.,%'".utf8.randomElement(using: &random) ?? 0
        case 2: target.insert(target[Int.random(in: target.indices, using: &random)], at: index)
        default: target.count > 1 ? _ = target.remove(at: index) : ()
        }
    }

    private static var isOptimized: Bool {
        var isOptimized = true
        // Evaluated in debug builds only.
        assert(
            {
                isOptimized = false
                return true
            }())
        return isOptimized
    }
}
