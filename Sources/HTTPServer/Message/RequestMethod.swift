/// A request method that the server passes to its handler (RFC 9110 §9, RFC 5789).
///
/// CONNECT and unknown methods are refused with 405.
package enum RequestMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case options = "OPTIONS"
    case patch = "PATCH"
    case trace = "TRACE"

    /// Creates a method from bytes of a request line; nil for an unknown one. Methods are case-sensitive.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        switch range.count {
        case 3 where bytes.equals(range, "GET"): self = .get
        case 3 where bytes.equals(range, "PUT"): self = .put
        case 4 where bytes.equals(range, "HEAD"): self = .head
        case 4 where bytes.equals(range, "POST"): self = .post
        case 5 where bytes.equals(range, "PATCH"): self = .patch
        case 5 where bytes.equals(range, "TRACE"): self = .trace
        case 6 where bytes.equals(range, "DELETE"): self = .delete
        case 7 where bytes.equals(range, "OPTIONS"): self = .options
        default: return nil
        }
    }
}
