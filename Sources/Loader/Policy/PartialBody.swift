#if Loader
import PlatformImage

/// The beginning of a body that broke off, kept in memory between two attempts of one load (RFC 9110 §14).
struct PartialBody: Sendable {
    /// Of the 200 that it belongs to.
    let head: ResponseHead
    let requestTime: WallTime
    let responseTime: WallTime
    /// As they came, still coded; at least one.
    let bytes: [UInt8]
    private let validator: HeaderField

    /// Nil for what cannot be continued: no 200, no byte of the body, no strong validator, no ranges.
    init?(_ head: ResponseHead, bytes: [UInt8], requestTime: WallTime, responseTime: WallTime) {
        guard head.status == 200, !bytes.isEmpty, !head.fields.tokens(of: "Accept-Ranges").contains("none"),
            let validator = head.fields.strongValidator(now: responseTime)
        else { return nil }
        self.head = head
        self.bytes = bytes
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.validator = validator
    }

    /// What asks for the rest, if the body is still the same (RFC 9110 §13.1.5).
    var conditions: HeaderFields {
        HeaderFields([
            HeaderField("Range", "bytes=\(bytes.count)-"), HeaderField("If-Range", bytes: validator.value),
        ])
    }

    /// What a response to ``conditions`` means.
    enum Continuation: Sendable {
        /// The rest follows, of a body with this head and of so many bytes in all.
        case rest(ResponseHead, length: Int)
        /// A response of its own, whatever its status.
        case other
        /// Neither: the whole must be asked for.
        case none
    }

    /// - Parameters:
    ///   - requestTime: When the rest was asked for.
    ///   - responseTime: When its head had come.
    func continuation(_ answer: ResponseHead, requestTime: WallTime, responseTime: WallTime) -> Continuation {
        if answer.status == 416 { return .none }
        guard answer.status == 206 else { return .other }
        guard let range = ContentRange(answer.fields), range.first == bytes.count, range.last == range.length - 1,
            isOfSameBody(answer.fields), lengths.allSatisfy({ $0 == Array(String(range.length).utf8) })
        else { return .none }
        let first = StoredResponse(
            status: 200, fields: head.fields, requestTime: self.requestTime, responseTime: self.responseTime,
            createdAt: self.responseTime)
        let merged = first.merged(with: answer.fields, requestTime: requestTime, responseTime: responseTime)
        return .rest(ResponseHead(status: 200, fields: merged.fields), length: range.length)
    }

    private var lengths: [[UInt8]] { head.fields[lines: "Content-Length"] }

    /// Only parts with the same strong validator are parts of one body (RFC 9110 §15.3.7.3). A 206 names the entity tag
    /// that a 200 would, and need not repeat the date (§15.3.7).
    private func isOfSameBody(_ fields: HeaderFields) -> Bool {
        let lines = fields[lines: validator.name]
        return lines.allSatisfy { $0 == validator.value } && (validator.isNamed("Last-Modified") || !lines.isEmpty)
    }
}

/// `bytes first-last/length` of a single part (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    let length: Int

    /// Nil for any other form, an unknown length among them, and for several lines.
    init?(_ fields: HeaderFields) {
        let lines = fields[lines: "Content-Range"]
        guard lines.count == 1 else { return nil }
        let words = lines[0].trimmingASCIIBlanks().split(separator: 0x20)
        guard words.count == 2, String(decoding: words[0].map(\.lowercasedASCII), as: UTF8.self) == "bytes" else {
            return nil
        }
        let numbers = words[1].split(omittingEmptySubsequences: false) { $0 == 0x2D || $0 == 0x2F }
        guard numbers.count == 3, words[1].firstIndex(of: 0x2D) == numbers[0].endIndex,
            let first = Int(asciiDigits: numbers[0]), let last = Int(asciiDigits: numbers[1]),
            let length = Int(asciiDigits: numbers[2]), first <= last, last < length
        else { return nil }
        self.first = first
        self.last = last
        self.length = length
    }
}

extension HeaderFields {
    /// What names a body byte for byte: a strong entity tag or, for a response without any tag, a date of the last
    /// modification that is strong by RFC 9110 §8.8.2.2; nil for neither.
    ///
    /// The date is strong when the response's own `Date` is a minute later: then clocks that differ by seconds do not
    /// matter, and the body did not change within the second in which it was sent.
    fileprivate func strongValidator(now: WallTime) -> HeaderField? {
        let tags = self[lines: "ETag"]
        if let tag = tags.first {
            let quote = UInt8(ascii: "\"")
            guard tags.count == 1, tag.count >= 2, tag.first == quote, tag.last == quote else { return nil }
            return HeaderField("ETag", bytes: tag)
        }
        guard let line = self[lines: "Last-Modified"].first, let modified = date("Last-Modified", now: now),
            let sent = date("Date", now: now), sent - modified >= 60_000
        else { return nil }
        return HeaderField("Last-Modified", bytes: line)
    }
}
#endif
