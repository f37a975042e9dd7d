import PlatformImage

extension RenderedImage {
    /// Creates the JSON of `meta`: thumbor's document, extended by properties of the source and the size of the result.
    ///
    /// - Parameters:
    ///   - prepared: The source and the request.
    ///   - plan: The plan that a render would execute.
    ///   - status: Completeness of the decoded pixels; `complete` when no pixels were decoded.
    ///   - sourceBytes: Size of the source in bytes.
    ///   - blurHash: BlurHash of the result; nil to leave it out.
    init(
        description prepared: PreparedRender, _ plan: RenderPlan, status: DecodeStatus, sourceBytes: Int,
        blurHash: String? = nil
    ) {
        let header = prepared.header
        var source = JSONObjectText(.spaced)
        if let name = prepared.request.source.clientName { source.add("url", name) }
        source.add("width", plan.sourceWidth)
        source.add("height", plan.sourceHeight)
        source.add("frameCount", max(1, header.frameCount ?? 1))
        source.add("format", header.format.rawValue)
        source.add("orientation", Int(header.orientation.rawValue))
        source.add("alpha", header.hasAlpha)
        source.add("depth", header.bitsPerChannel)
        source.add("profile", header.profileSource.rawValue)
        if let name = header.iccProfileDescription, !name.isEmpty { source.add("profileDescription", name) }
        source.add("bytes", sourceBytes)

        var thumbor = JSONObjectText(.spaced)
        thumbor.add("source", raw: source.object)
        thumbor.add("operations", raw: JSONText.array(Self.operations(of: plan), .spaced))
        thumbor.add("target", raw: JSONObjectText.size(plan.width, plan.height))
        thumbor.add("result", raw: JSONObjectText.size(plan.resultWidth, plan.resultHeight))
        thumbor.add("focal_points", raw: JSONText.array(plan.focalPoints.map(\.json), .spaced))
        if let blurHash { thumbor.add("blurhash", blurHash) }

        var document = JSONObjectText(.spaced)
        document.add("thumbor", raw: thumbor.object)
        self.init(
            bytes: Array(document.object.utf8), contentType: "application/json", format: nil, quality: nil,
            width: plan.resultWidth, height: plan.resultHeight, header: header, plan: plan, status: status)
    }

    private static func operations(of plan: RenderPlan) -> [String] {
        var all: [String] = []
        let crop = plan.crop
        if crop.width != plan.sourceWidth || crop.height != plan.sourceHeight {
            var text = JSONObjectText(type: "crop")
            text.add("left", crop.x)
            text.add("top", crop.y)
            text.add("right", crop.x + crop.width)
            text.add("bottom", crop.y + crop.height)
            all.append(text.object)
        }
        if crop.width != plan.width || crop.height != plan.height {
            var text = JSONObjectText(type: "resize")
            text.add("width", plan.width)
            text.add("height", plan.height)
            all.append(text.object)
        }
        if plan.flipsHorizontally { all.append(JSONObjectText(type: "flip_horizontally").object) }
        if plan.flipsVertically { all.append(JSONObjectText(type: "flip_vertically").object) }
        return all
    }
}

extension FocalPoint {
    fileprivate var json: String {
        var text = JSONObjectText(.spaced)
        text.add("x", x)
        text.add("y", y)
        text.add("z", weight)
        text.add("height", height)
        text.add("width", width)
        text.add("origin", isAlignment ? "alignment" : "Explicit")
        return text.object
    }
}

extension SourceName {
    /// Name of the source as parsed from the target; nil for the body of a request.
    fileprivate var clientName: String? {
        switch self {
        case .url(let name), .file(let name), .identifier(let name): name
        case .body: nil
        }
    }
}

extension JSONObjectText {
    fileprivate init(type: String) {
        self.init(.spaced)
        add("type", type)
    }

    fileprivate static func size(_ width: Int, _ height: Int) -> String {
        var text = JSONObjectText(.spaced)
        text.add("width", width)
        text.add("height", height)
        return text.object
    }
}
