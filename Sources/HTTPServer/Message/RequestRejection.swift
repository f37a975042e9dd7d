/// The reason why the server refuses a request itself; the connection is closed after the response.
package struct RequestRejection: Error, Hashable, Sendable {
    /// A rule of Docs/http-server.md that a request does not follow.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        case requestLine = "HS1"
        case lineEnd = "HS2"
        case controlByte = "HS3"
        case emptyLines = "HS4"
        case version = "HS5"
        case method = "HS6"
        case target = "HS7"
        case targetLength = "HS8"
        case fieldLine = "HS9"
        case fieldSection = "HS10"
        case host = "HS11"
        case contentLength = "HS12"
        case transferEncoding = "HS13"
        case framing = "HS14"
        case expect = "HS15"
        case chunk = "HS16"
        case trailers = "HS17"
    }

    /// The rule that the request does not follow.
    package let rule: Rule
    /// Status of the response: 400, 405, 414, 417, 431 or 505.
    package let status: Int
    /// The reason in one line for the client, without bytes of the request.
    package let message: String

    init(_ rule: Rule, status: Int = 400, _ message: String) {
        (self.rule, self.status, self.message) = (rule, status, message)
    }
}
