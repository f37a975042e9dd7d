internal import PlatformImage

/// A request and the settings of its exchange, checked and ready for libcurl.
struct CurlRequest: Sendable {
    /// The connections that a request can use; ``CurlTransport/init(proxy:connectionsPerHost:)`` limits their number.
    struct Host: Hashable, Sendable {
        /// `scheme://host:port/`.
        let base: String
        /// ``CurlTrust/Roots/number``, or 0 for the system's roots and -1 for no verification.
        let trust: Int
        /// The pinned address; nil for a DNS look-up.
        var address: String?
    }

    var host: Host
    /// Strings that end with NUL: the base, the target, the method, and the field lines in libcurl's notation.
    let text: [UInt8]
    let targetOffset: Int
    let methodOffset: Int
    let fieldsOffset: Int
    let fieldCount: Int
    let isSecure: Bool
    let isGet: Bool
    let isHead: Bool
    let verifies: Bool
    let roots: CurlTrust.Roots?
    let proxy: ProxyServer?
    /// The pinned addresses that remain after ``Host/address``.
    var addresses: ArraySlice<String>
    let connectMilliseconds: Int
    /// Nanoseconds; nil for no limit.
    let idle: Int64?
    /// Nanoseconds of the clock `picu_now`; nil for no limit.
    let deadline: Int64?

    /// - Throws: `configuration` for a URL, method or field that cannot be sent unchanged.
    init(
        _ request: HTTPRequest, to addresses: [String], proxy proxies: ProxySetting.Resolved, trust: CurlTrust,
        _ settings: TrustSettings, _ timeouts: TransportTimeouts, now: Int64
    ) throws(LoadError) {
        guard let target = HTTPTarget(request.url) else {
            throw .configuration("the URL is not a valid http or https URL")
        }
        let proxy = try proxies.server(isSecure: target.isSecure, host: target.host.lowercased())
        if proxy != nil, !addresses.isEmpty {
            throw .configuration(
                "the request specifies the IP address to connect to, which is not possible through a proxy")
        }
        let verification = try trust.verification(settings, of: target)
        var text: [UInt8] = []
        text.reserveCapacity(target.host.utf8.count + target.target.count + 64 * (request.fields.lines.count + 4))
        target.appendBase(to: &text)
        let base = String(decoding: text, as: UTF8.self)
        text.append(0)
        targetOffset = text.count
        text += target.target
        text.append(0)
        methodOffset = text.count
        isGet = request.method == "GET"
        isHead = request.method == "HEAD"
        guard !request.method.isEmpty, request.method.utf8.allSatisfy(ResponseHeadParser.tokenBytes.contains) else {
            throw .configuration("the method is not a token")
        }
        text.append(contentsOf: request.method.utf8)
        text.append(0)
        fieldsOffset = text.count
        fieldCount = try Self.append(request, target, to: &text)
        self.text = text
        self.addresses = addresses.dropFirst()
        self.proxy = proxy
        isSecure = target.isSecure
        (verifies, roots) = (verification.verifies, verification.roots)
        host = Host(
            base: base, trust: verification.verifies ? verification.roots?.number ?? 0 : -1, address: addresses.first)
        // libcurl has a default limit for 0 and accepts no more than the range of a 32-bit integer.
        connectMilliseconds =
            timeouts.connect.map { Int(clamping: max(1, $0.clampedNanoseconds / 1_000_000)) } ?? Int.max
        idle = timeouts.idle?.clampedNanoseconds
        deadline = timeouts.total.map { now + $0.clampedNanoseconds }
    }

    /// Appends the field lines and returns their number.
    private static func append(
        _ request: HTTPRequest, _ target: HTTPTarget, to text: inout [UInt8]
    ) throws(LoadError) -> Int {
        var count = 0
        func add(_ line: StaticString) {
            line.withUTF8Buffer { text.append(contentsOf: $0) }
            text.append(0)
            count += 1
        }
        // libcurl writes the name of a host that is not ASCII in its ASCII form.
        if !request.fields.contains("Host"), target.host.utf8.allSatisfy({ $0 < 0x80 }) {
            text.append(contentsOf: "Host: ".utf8)
            target.appendHostField(to: &text)
            text.append(0)
            count += 1
        }
        for field in request.fields.lines {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ResponseHeadParser.tokenBytes.contains) else {
                throw .configuration("the name of a header field is not a token")
            }
            // The value may be a secret, so no message contains it.
            guard field.value.allSatisfy({ $0 < 0x80 }) || String(validating: field.value, as: UTF8.self) != nil else {
                throw .configuration("the value of the header field \(field.name) is not UTF-8")
            }
            guard !field.hasControlCharacter else {
                throw .configuration(
                    "the value of the header field \(field.name) contains a control character")
            }
            text.append(contentsOf: field.name.utf8)
            // libcurl's notation for a field without a value.
            if field.value.allSatisfy(\.isASCIIBlank) {
                text.append(UInt8(ascii: ";"))
            } else {
                text.append(UInt8(ascii: ":"))
                text.append(0x20)
                text += field.value
            }
            text.append(0)
            count += 1
        }
        // A name with a colon and no value suppresses a field that libcurl adds.
        if !request.fields.contains("Accept") { add("Accept:") }
        // RFC 9110 §8.6: methods that usually have a body declare that there is none.
        if ["POST", "PUT", "PATCH"].contains(request.method), !request.fields.contains("Content-Length") {
            add("Content-Length: 0")
        }
        return count
    }
}

extension Duration {
    /// Nanoseconds in 0...100 years, so that adding them to a time cannot overflow.
    var clampedNanoseconds: Int64 {
        max(.zero, min(self, .seconds(3_155_760_000))).nanosecondCount
    }
}
