#if Loader
extension Redaction {
    /// A message, usually somebody else's, without what is secret in a request: the query of its address, the values of
    /// its credentials and what they are made of.
    ///
    /// What a message says in other words than the request does, coded anew or cut into pieces, is not recognised.
    static func cleaned(_ message: String, of request: HTTPRequest) -> String {
        var text = message
        let reference = URLReference(request.url.utf8)
        // The longest first: a short one may be a part of it.
        var secrets = [reference.query, reference.fragment].compactMap {
            $0.map { String(decoding: $0, as: UTF8.self) }
        }
        for name in ["Authorization", "Proxy-Authorization", "Cookie"] {
            for line in request.fields[lines: name] { secrets += parts(of: String(decoding: line, as: UTF8.self)) }
        }
        secrets.sort { $0.utf8.count > $1.utf8.count }
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: mark) }
        return text
    }

    /// A credential as a whole, and the parts that are long enough not to be found in any text.
    private static func parts(of value: String) -> [String] {
        let pieces: [Substring] = value.split { $0 == " " || $0 == ";" || $0 == "," || $0 == "\"" }.flatMap { piece in
            // `name=value`; the equals signs at the end of Base64 belong to the value.
            piece.firstIndex(of: "=").map { [piece, piece[piece.index(after: $0)...]] } ?? [piece]
        }
        return [value] + pieces.map { String($0) }.filter { $0.utf8.count >= 6 }
    }
}
#endif
