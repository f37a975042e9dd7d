import PlatformImage

extension ThumbnailRequest {
    /// Formats the request as the parts of a thumbor target without a signature; nil for a request with features that
    /// only IIIF has. Parsing the text gives an equal request, except for `attachment` and unknown filters, which are
    /// omitted.
    var thumborParts: String? {
        guard case .thumbor(let size) = operations.size, let image = source.thumborName else { return nil }
        var parts: [String] = []
        if case .meta = output.kind { parts.append("meta") }
        if let trim = operations.trim { parts.append("trim:\(trim.corner.rawValue):\(trim.tolerance)") }
        switch operations.region {
        case .full: break
        case .box(let left, let top, let right, let bottom): parts.append("\(left)x\(top):\(right)x\(bottom)")
        default: return nil
        }
        if case .fit(let full, let adaptive) = size.mode {
            parts.append((adaptive ? "adaptive-" : "") + (full ? "full-" : "") + "fit-in")
        }
        let width = (operations.flipsHorizontally ? "-" : "") + size.width.text
        let height = (operations.flipsVertically ? "-" : "") + size.height.text
        if width != "0" || height != "0" { parts.append("\(width)x\(height)") }
        let focus = operations.focus
        if focus.horizontal != .center { parts.append(focus.horizontal.rawValue) }
        if focus.vertical != .middle { parts.append(focus.vertical.rawValue) }
        if focus.isSmart { parts.append("smart") }
        guard let filters = filterTexts(size) else { return nil }
        if !filters.isEmpty { parts.append("filters:" + filters.joined(separator: ":")) }
        return (parts + [image]).joined(separator: "/")
    }

    private func filterTexts(_ size: ThumborSize) -> [String]? {
        var texts: [String] = []
        if size.mode == .stretch { texts.append("stretch()") }
        if size.forbidsUpscaling { texts.append("no_upscale()") }
        for box in operations.focus.boxes { texts.append("focal(\(box.left)x\(box.top):\(box.right)x\(box.bottom))") }
        if operations.page != 1 { texts.append("page(\(operations.page))") }
        for filter in operations.filters {
            guard let text = filter.text else { return nil }
            texts.append(text)
        }
        texts.append("quality(\(output.quality))")
        if let format = output.format { texts.append("format(\(format.rawValue))") }
        if let maxBytes = output.maxBytes { texts.append("max_bytes(\(maxBytes))") }
        if output.isStill { texts.append("cover()") }
        if output.prefersJPEG { texts.append("autojpg()") }
        if output.metadata.stripsEXIF { texts.append("strip_exif()") }
        if output.metadata.stripsProfile { texts.append("strip_icc()") }
        if output.kind == .meta(blurHash: true) { texts.append("blurhash()") }
        if let maxAge = policy.maxAge { texts.append("max_age(\(maxAge))") }
        if let expires = policy.expires { texts.append("expire(\(expires))") }
        return texts
    }
}

extension SourceName {
    /// The percent-encoded name for the last part of a target; nil for an IIIF identifier.
    fileprivate var thumborName: String? {
        switch self {
        case .body: return "body"
        case .identifier: return nil
        case .url(let name), .file(let name):
            return PercentEncoding.encode(name, allowed: .pathSegment.union("/[]"))
        }
    }
}

extension ThumborSize.Side {
    fileprivate var text: String {
        switch self {
        case .proportional: "0"
        case .pixels(let pixels): "\(pixels)"
        case .original: "orig"
        }
    }
}

extension ImageFilter {
    /// The filter in thumbor's syntax; nil for one that only IIIF has.
    fileprivate var text: String? {
        switch self {
        case .rotate(let quarterTurns): return "rotate(\(360 - 90 * quarterTurns))"
        case .proportion(let factor): return "proportion(\(factor))"
        case .upscale: return "upscale()"
        case .fill(let color, let blends): return "fill(\(color.text),\(blends))"
        case .pixels(let filter): return filter.text
        }
    }
}

extension FillColor {
    fileprivate var text: String {
        switch self {
        case .color(let color): color.digits
        case .average: "auto"
        case .blur: "blur"
        }
    }
}

extension PixelFilter {
    fileprivate var text: String? {
        switch self {
        case .bitonal: return nil
        case .grayscale: return "grayscale()"
        case .equalize: return "equalize()"
        case .backgroundColor(let color): return "background_color(\(color.digits))"
        case .blur(let radius, let sigma): return "blur(\(radius),\(sigma))"
        case .sharpen(let amount, let radius, let luminanceOnly): return "sharpen(\(amount),\(radius),\(luminanceOnly))"
        case .brightness(let percent): return "brightness(\(percent))"
        case .contrast(let percent): return "contrast(\(percent))"
        case .saturation(let factor): return "saturation(\(factor))"
        case .rgb(let red, let green, let blue): return "rgb(\(red),\(green),\(blue))"
        case .roundCorner(let across, let down, let color, let isTransparent):
            return "round_corner(\(across)|\(down),\(color.red),\(color.green),\(color.blue),\(isTransparent))"
        case .convolution(let weights, let columns, let normalizes):
            return "convolution(\(weights.map(\.description).joined(separator: ";")),\(columns),\(normalizes))"
        }
    }
}

extension RGBA8 {
    /// Eight hexadecimal digits, red first.
    fileprivate var digits: String {
        String(hexadecimal: [red, green, blue, alpha])
    }
}
