import PlatformImage

extension ThumbnailRequest {
    /// Canonical form of a request for cache keys and coalescing. Requests with equal canonical forms have equal
    /// results. The form does not depend on spellings and options that cannot change the result.
    var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        writer.write(source)
        return writer.bytes + canonicalOperations
    }

    /// The part of ``canonicalBytes`` without the source, for entity tags.
    var canonicalOperations: [UInt8] {
        var writer = CanonicalWriter()
        writer.write(operations)
        writer.write(output)
        return writer.bytes
    }
}

/// Writes fields as `tag:value,value;`. Text of a client is prefixed with its length, so that it cannot imitate another
/// field.
///
/// Names of results on disk and entity tags depend on this text, so the tags of the fields are string literals,
/// independent of the names of Swift types, cases and raw values.
struct CanonicalWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ source: SourceName) {
        switch source {
        case .url(let url): field("url", text: url)
        case .file(let path): field("file", text: path)
        case .body: field("body")
        case .identifier(let identifier): field("iiif", text: identifier)
        }
    }

    /// Writes the operations; defaults are omitted.
    mutating func write(_ operations: Operations) {
        if operations.page != 1 { field("page", operations.page) }
        if let trim = operations.trim { field("trim", trim.corner == .topLeft ? 0 : 1, trim.tolerance) }
        switch operations.region {
        case .full: break
        case .box(let left, let top, let right, let bottom): field("box", left, top, right, bottom)
        case .square: field("square")
        case .pixels(let x, let y, let width, let height): field("region", x, y, width, height)
        case .percent(let x, let y, let width, let height):
            field("percent", x.units, y.units, width.units, height.units)
        }
        switch operations.size {
        case .thumbor(let size): write(size)
        case .iiif(let size): write(size)
        }
        write(operations.focus)
        if operations.flipsHorizontally { field("mirror") }
        if operations.flipsVertically { field("flip") }
        for filter in operations.filters { write(filter) }
    }

    mutating func write(_ output: OutputFormatRequest) {
        if let format = output.format { write(format) }
        field("quality", output.quality)
        if let maxBytes = output.maxBytes { field("bytes", maxBytes) }
        if output.prefersJPEG { field("autojpg") }
        if output.isStill { field("still") }
        // Metadata as JSON contains neither.
        if output.kind == .image { write(output.metadata) }
        if output.negotiated != .standard { field("accept", output.negotiated.numbers) }
        switch output.kind {
        case .image: break
        case .meta(let blurHash): field("meta", blurHash ? 1 : 0)
        case .iiifInfo: field("info")
        }
    }

    private mutating func write(_ metadata: OutputMetadata) {
        switch metadata.policy {
        case .strip: break
        case .copyright: field("metadata", 1)
        case .withoutLocation: field("metadata", 2)
        case .all: field("metadata", 3)
        }
        if metadata.keepsProfile { field("profile") }
    }

    private mutating func write(_ format: OutputFormatRequest.Format) {
        switch format {
        case .jpeg: field("jpeg")
        case .png: field("png")
        case .gif: field("gif")
        case .tiff: field("tiff")
        case .webp: field("webp")
        case .avif: field("avif")
        case .heif: field("heif")
        }
    }

    private mutating func write(_ size: ThumborSize) {
        switch size.mode {
        case .cover: break
        case .stretch: field("stretch")
        case .fit(let full, let adaptive): field("fit", full ? 1 : 0, adaptive ? 1 : 0)
        }
        if size.width != .proportional { field("width", Self.number(size.width)) }
        if size.height != .proportional { field("height", Self.number(size.height)) }
        if size.forbidsUpscaling { field("smaller") }
    }

    private static func number(_ side: ThumborSize.Side) -> Int {
        switch side {
        case .proportional: 0
        case .pixels(let pixels): pixels
        case .original: -1
        }
    }

    private mutating func write(_ size: IIIFSize) {
        switch size.form {
        case .max: field("max")
        case .width(let width): field("byWidth", width)
        case .height(let height): field("byHeight", height)
        case .exact(let width, let height): field("exact", width, height)
        case .percent(let percent): field("scale", percent.units)
        case .confined(let width, let height): field("confined", width, height)
        }
        if size.allowsUpscaling { field("larger") }
    }

    private mutating func write(_ focus: Operations.Focus) {
        switch focus.horizontal {
        case .left: field("left")
        case .center: break
        case .right: field("right")
        }
        switch focus.vertical {
        case .top: field("top")
        case .middle: break
        case .bottom: field("bottom")
        }
        if focus.isSmart { field("smart") }
        for box in focus.boxes { field("focal", box.left, box.top, box.right, box.bottom) }
    }

    private mutating func write(_ filter: ImageFilter) {
        switch filter {
        case .rotate(let quarterTurns): field("rotate", quarterTurns)
        case .proportion(let factor): field("proportion", factor.units)
        case .upscale: field("upscale")
        case .fill(.color(let color), let blends): field("fill", color.number, blends ? 1 : 0)
        case .fill(.average, let blends): field("fillAverage", blends ? 1 : 0)
        case .fill(.blur, let blends): field("fillBlur", blends ? 1 : 0)
        case .pixels(let filter): write(filter)
        }
    }

    private mutating func write(_ filter: PixelFilter) {
        switch filter {
        case .grayscale: field("gray")
        case .bitonal: field("bitonal")
        case .backgroundColor(let color): field("under", color.number)
        case .blur(let radius, let sigma): field("blur", radius, sigma.units)
        case .sharpen(let amount, let radius, let luminanceOnly):
            field("sharpen", amount.units, radius.units, luminanceOnly ? 1 : 0)
        case .brightness(let percent): field("brightness", percent)
        case .contrast(let percent): field("contrast", percent)
        case .saturation(let factor): field("saturation", factor.units)
        case .rgb(let red, let green, let blue): field("rgb", red, green, blue)
        case .equalize: field("equalize")
        case .roundCorner(let across, let down, let color, let isTransparent):
            field("corner", across, down, color.number, isTransparent ? 1 : 0)
        case .convolution(let weights, let columns, let normalizes):
            field("convolution", [columns, normalizes ? 1 : 0] + weights.map(\.units))
        }
    }

    private mutating func field(_ tag: String, _ values: Int...) { field(tag, values) }

    private mutating func field(_ tag: String, _ values: [Int]) {
        bytes += tag.utf8
        for (index, value) in values.enumerated() { bytes += "\(index == 0 ? ":" : ",")\(value)".utf8 }
        bytes.append(UInt8(ascii: ";"))
    }

    private mutating func field(_ tag: String, text: String) {
        bytes += "\(tag):\(text.utf8.count):\(text)".utf8
        bytes.append(UInt8(ascii: ";"))
    }
}

extension RGBA8 {
    fileprivate var number: Int { Int(red) << 24 | Int(green) << 16 | Int(blue) << 8 | Int(alpha) }
}
