extension Redaction {
    /// Returns a message, usually from a library, with a request's secrets masked: the query and fragment of its URL,
    /// the values of its fields, and the parts of its credentials.
    ///
    /// Secrets shorter than 6 bytes are not masked, because short text occurs in any message. There are two exceptions:
    /// a short query is masked where it follows a `?`, and the complete value of a credential field is always masked.
    ///
    /// Secrets that the message re-encodes or splits are not recognized.
    static func maskingSecrets(in message: String, of request: HTTPRequest) -> String {
        var text = message
        let reference = URLReference(request.url.utf8)
        // Longest first: a short secret may be part of a longer one.
        var secrets: [String] = []
        for part in [reference.query, reference.fragment].compactMap(\.self) where part.count >= minSecretBytes {
            secrets.append(String(decoding: part, as: UTF8.self))
        }
        for line in request.fields.lines {
            let value = String(decoding: line.value, as: UTF8.self)
            if line.isCredential {
                secrets += parts(of: value)
            } else if line.value.count >= minSecretBytes {
                secrets.append(value)
            }
        }
        if let query = reference.query, !query.isEmpty {
            text = text.replacing("?" + String(decoding: query, as: UTF8.self), with: "?" + mask)
        }
        secrets.sort { $0.utf8.count > $1.utf8.count }
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: mask) }
        return text
    }

    /// Minimum length in bytes of the secrets that are searched for in a message; complete credentials may be shorter.
    private static let minSecretBytes = 6

    /// Returns a complete credential, and its parts that have at least `minSecretBytes` bytes.
    private static func parts(of value: String) -> [String] {
        let pieces: [Substring] = value.split { $0.isWhitespace || ";,\"".contains($0) }.flatMap { piece in
            // `name=value`; the equals signs at the end of Base64 belong to the value.
            piece.firstIndex(of: "=").map { [piece, piece[piece.index(after: $0)...]] } ?? [piece]
        }
        return [value] + pieces.map { String($0) }.filter { $0.utf8.count >= minSecretBytes }
    }
}
