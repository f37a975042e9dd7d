import PlatformImage

/// Content negotiation (RFC 9110 §12.5.1) between the formats that the service encodes.
///
/// A field names WebP and APNG only by their exact types: many clients send `*/*` or `image/*` and cannot display them.
/// Such a format is selected when its quality value is at least as high as those of the alternatives, because its files
/// are smaller. Between JPEG, PNG and GIF, the default format of the result changes only when the quality value of
/// another one is more than twice as high: browsers send `image/png` beside `image/*;q=0.8`, and PNG is a poor format
/// for photographs. A format with quality 0 is not sent while another format is accepted.
struct Negotiation: Hashable, Sendable {
    /// Formats that may be selected; empty when the Accept field selects no format except ``sendsWebP``.
    var formats: Set<NegotiatedFormat> = []
    /// Sends still results as WebP to clients that name `image/webp`, as thumbor does with `AUTO_WEBP`.
    var sendsWebP = false
    /// True when results may be encoded in several formats, of which the smallest is sent.
    var searches = false

    /// Disables negotiation.
    init() {}

    /// - Parameters:
    ///   - isOn: Enables negotiation between `formats`.
    ///   - formats: Formats that may be selected; those without a built-in encoder are ignored.
    ///   - sendsWebP: As ``sendsWebP``; without effect when `isOn` is true or no WebP encoder is built in.
    ///   - searches: As ``searches``.
    init(isOn: Bool, formats: [NegotiatedFormat], sendsWebP: Bool = false, searches: Bool = false) {
        let available = Set(NegotiatedFormat.available)
        self.formats = isOn ? available.intersection(formats) : []
        self.sendsWebP = sendsWebP && !isOn && available.contains(.webp)
        self.searches = searches
    }

    /// Returns true when the response depends on `Accept` and needs `Vary`: negotiation is on, and the target requests
    /// an image but names no format.
    func applies(to request: ThumbnailRequest) -> Bool {
        isOn && selectsFormat(of: request)
    }

    /// Returns true when the target requests an image but names no format.
    func selectsFormat(of request: ThumbnailRequest) -> Bool {
        request.output.kind == .image && request.output.format == nil
    }

    /// True when formats depend on `Accept`.
    var isOn: Bool { !formats.isEmpty || sendsWebP }

    /// Returns the formats that a field selects.
    ///
    /// - Parameter accept: All field lines joined by commas; nil without the field, which means `*/*`.
    func formats(for accept: String?) -> NegotiatedFormats {
        var table = NegotiatedFormats.standard
        if isOn {
            let ranges = MediaRange.all(in: accept ?? "*/*")
            if formats.isEmpty {
                sendWebP(to: ranges, &table)
            } else {
                let accepted = AcceptedFormats(ranges, allowed: formats)
                // A field that accepts no format is ignored: any image is better than an error.
                let isUsable = formats.contains { accepted.quality($0) > 0 }
                select(isUsable ? accepted : AcceptedFormats(MediaRange.all(in: "*/*"), allowed: formats), &table)
            }
        }
        if searches, table.candidates.isEmpty { table.candidates = [.jpeg, .png] }
        return table
    }

    /// thumbor sends WebP for every still image if the field names the type; an animated GIF remains a GIF.
    private func sendWebP(to ranges: [MediaRange], _ table: inout NegotiatedFormats) {
        guard AcceptedFormats(ranges, allowed: [.webp]).isNamed(.webp) else { return }
        (table.jpeg, table.png, table.gif, table.otherAnimation) = (.webp, .webp, .webp, .webp)
        if searches { table.candidates = [.webp, .png, .jpeg] }
    }

    private func select(_ accepted: AcceptedFormats, _ table: inout NegotiatedFormats) {
        table.jpeg = accepted.still(.jpeg, [.jpeg, .png])
        table.png = accepted.still(.png, [.png, .jpeg])
        table.gif = accepted.still(.gif, [.gif, .png, .jpeg])
        table.animatedGIF = accepted.animation([.webp, .apng, .gif], named: [.webp, .apng])
        table.otherAnimation = accepted.animation([.webp, .apng, .gif], named: [.webp, .apng, .gif])
        guard searches else { return }
        table.candidates = Set([.webp, .png, .jpeg].filter { accepted.quality($0) > 0 })
    }
}

/// Quality values of the allowed formats in an Accept field.
private struct AcceptedFormats {
    private var exact: [NegotiatedFormat: Int] = [:]
    private var ofImages: Int?
    private var ofAll: Int?
    private let allowed: Set<NegotiatedFormat>

    init(_ ranges: [MediaRange], allowed: Set<NegotiatedFormat>) {
        self.allowed = allowed
        for range in ranges {
            switch (range.type, range.subtype) {
            case ("*", "*"): ofAll = max(ofAll ?? 0, range.quality)
            case ("image", "*"): ofImages = max(ofImages ?? 0, range.quality)
            case ("image", let name):
                guard let format = NegotiatedFormat(rawValue: name) else { continue }
                exact[format] = max(exact[format] ?? 0, range.quality)
            default: break
            }
        }
    }

    /// Quality value in thousandths; 0 for a format that is not allowed or not accepted. The most specific media range
    /// takes precedence; ranges with wildcards do not accept WebP and APNG.
    func quality(_ format: NegotiatedFormat) -> Int {
        guard allowed.contains(format) else { return 0 }
        if format == .webp || format == .apng { return exact[format] ?? 0 }
        return exact[format] ?? ofImages ?? ofAll ?? 0
    }

    /// Returns true when the field contains the exact type with a quality above 0.
    func isNamed(_ format: NegotiatedFormat) -> Bool { allowed.contains(format) && (exact[format] ?? 0) > 0 }

    /// Returns the format of a still result.
    ///
    /// - Parameters:
    ///   - standard: The default format of the result.
    ///   - choices: The default format and its alternatives, the better ones first.
    func still(_ standard: NegotiatedFormat, _ choices: [NegotiatedFormat]) -> NegotiatedFormat {
        let best = choices.map(quality).max() ?? 0
        if isNamed(.webp), quality(.webp) >= best { return .webp }
        if best > 2 * quality(standard), let other = choices.first(where: { quality($0) == best }) { return other }
        return best == 0 && quality(.gif) > 0 ? .gif : standard
    }

    /// Returns the format of an animation, of those with the highest quality the first one; nil when none is accepted.
    ///
    /// - Parameter named: Formats that the field must contain with their exact type.
    func animation(_ choices: [NegotiatedFormat], named: Set<NegotiatedFormat>) -> NegotiatedFormat? {
        let accepted = choices.filter { named.contains($0) ? isNamed($0) : quality($0) > 0 }
        let best = accepted.map(quality).max() ?? 0
        return accepted.first { quality($0) == best }
    }
}
