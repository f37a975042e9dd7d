#if Loader
extension Redaction {
    /// A message, usually somebody else's, without what is secret in a request: the query of its address, the values of
    /// its fields, and what credentials are made of.
    ///
    /// What is short is taken out only where it stands as it does in the request: a query of one letter is in any word.
    ///
    /// What a message says in other words than the request does, coded anew or cut into pieces, is not recognised.
    static func cleaned(_ message: String, of request: HTTPRequest) -> String {
        var text = message
        let reference = URLReference(request.url.utf8)
        // The longest first: a short one may be a part of it.
        var secrets: [String] = []
        for part in [reference.query, reference.fragment].compactMap(\.self) where part.count >= least {
            secrets.append(String(decoding: part, as: UTF8.self))
        }
        for line in request.fields.lines {
            let value = String(decoding: line.value, as: UTF8.self)
            if line.isCredential {
                secrets += parts(of: value)
            } else if line.value.count >= least {
                secrets.append(value)
            }
        }
        if let query = reference.query, !query.isEmpty {
            text = text.replacing("?" + String(decoding: query, as: UTF8.self), with: "?" + mark)
        }
        secrets.sort { $0.utf8.count > $1.utf8.count }
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: mark) }
        return text
    }

    /// Bytes that a secret has at least to be looked for in any text.
    private static let least = 6

    /// A credential as a whole, and the parts that are long enough not to be found in any text.
    private static func parts(of value: String) -> [String] {
        let pieces: [Substring] = value.split { $0.isWhitespace || ";,\"".contains($0) }.flatMap { piece in
            // `name=value`; the equals signs at the end of Base64 belong to the value.
            piece.firstIndex(of: "=").map { [piece, piece[piece.index(after: $0)...]] } ?? [piece]
        }
        return [value] + pieces.map { String($0) }.filter { $0.utf8.count >= least }
    }
}
#endif
