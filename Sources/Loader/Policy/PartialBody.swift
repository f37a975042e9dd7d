import PlatformImage

/// The received part of an interrupted body, stored in memory for a range request of the load (RFC 9110 §14).
struct PartialBody: Sendable {
    /// The head of the 200 response.
    let head: ResponseHead
    let requestTime: WallTime
    let responseTime: WallTime
    /// The received bytes, still content-coded; at least one.
    let bytes: [UInt8]
    private let validator: HeaderField

    /// Returns nil for a response that cannot be resumed: a status other than 200, no body byte, no strong validator,
    /// or `Accept-Ranges: none`.
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

    /// The fields that request the remaining bytes if the body is unchanged (RFC 9110 §13.1.5).
    var conditions: HeaderFields {
        HeaderFields([
            HeaderField("Range", "bytes=\(bytes.count)-"), HeaderField("If-Range", bytes: validator.value),
        ])
    }

    /// The interpretation of a response to ``conditions``.
    enum Continuation: Sendable {
        /// The remaining bytes follow; `length` is the total length of the body in bytes.
        case remainder(ResponseHead, length: Int)
        /// The response has another status than 206 and 416 and does not depend on the partial body.
        case complete
        /// The response does not continue the partial body: repeat the request without `Range`.
        case mismatch
    }

    /// Interprets the response to a range request.
    ///
    /// - Parameters:
    ///   - requestTime: When the range request was sent.
    ///   - responseTime: When the head of its response was received.
    func continuation(_ response: ResponseHead, requestTime: WallTime, responseTime: WallTime) -> Continuation {
        if response.status == 416 { return .mismatch }
        guard response.status == 206 else { return .complete }
        guard let range = ContentRange(response.fields), range.first == bytes.count, range.last == range.length &- 1,
            isOfSameBody(response.fields), lengths.allSatisfy({ $0 == Array(String(range.length).utf8) })
        else { return .mismatch }
        let first = StoredResponse(
            status: 200, fields: head.fields, requestTime: self.requestTime, responseTime: self.responseTime,
            createdAt: self.responseTime)
        let merged = first.merged(with: response.fields, requestTime: requestTime, responseTime: responseTime)
        return .remainder(ResponseHead(status: 200, fields: merged.fields), length: range.length)
    }

    private var lengths: [[UInt8]] { head.fields[lines: "Content-Length"] }

    /// Returns true when the fields of a 206 have the strong validator of the 200 (RFC 9110 §15.3.7.3). They need not
    /// repeat a Last-Modified date, but must repeat an entity tag (§15.3.7).
    private func isOfSameBody(_ fields: HeaderFields) -> Bool {
        let lines = fields[lines: validator.name]
        return lines.allSatisfy { $0 == validator.value } && (validator.isNamed("Last-Modified") || !lines.isEmpty)
    }
}

/// A single-part content range, `bytes first-last/length` (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    let length: Int

    /// Returns nil for any other form, including an unknown length, and for several lines.
    init?(_ fields: HeaderFields) {
        let lines = fields[lines: "Content-Range"]
        guard lines.count == 1, let words = lines.first?.trimmingASCIIBlanks().split(separator: 0x20), words.count == 2,
            let unit = words.first, String(decoding: unit.map(\.lowercasedASCII), as: UTF8.self) == "bytes",
            let range = words.last
        else { return nil }
        var numbers = range.split(omittingEmptySubsequences: false) { $0 == 0x2D || $0 == 0x2F }
        guard numbers.count == 3, range.firstIndex(of: 0x2D) == numbers.first?.endIndex,
            let length = numbers.popLast().flatMap({ Int(asciiDigits: $0) }),
            let last = numbers.popLast().flatMap({ Int(asciiDigits: $0) }),
            let first = numbers.popLast().flatMap({ Int(asciiDigits: $0) }), first <= last, last < length
        else { return nil }
        self.first = first
        self.last = last
        self.length = length
    }
}

extension HeaderFields {
    /// Returns a strong validator: a strong entity tag or, without any tag, a Last-Modified date that is strong by RFC
    /// 9110 §8.8.2.2; nil for neither.
    ///
    /// The date is strong when the response's `Date` is at least a minute later: clocks that differ by seconds do not
    /// matter then, and the body did not change within the second in which it was sent.
    fileprivate func strongValidator(now: WallTime) -> HeaderField? {
        let tags = self[lines: "ETag"]
        if let tag = tags.first {
            let quote = UInt8(ascii: "\"")
            guard tags.count == 1, tag.count >= 2, tag.first == quote, tag.last == quote else { return nil }
            return HeaderField("ETag", bytes: tag)
        }
        guard let line = self[lines: "Last-Modified"].first, let modified = date("Last-Modified", now: now),
            let sent = date("Date", now: now), sent.milliseconds(since: modified) >= 60_000
        else { return nil }
        return HeaderField("Last-Modified", bytes: line)
    }
}
