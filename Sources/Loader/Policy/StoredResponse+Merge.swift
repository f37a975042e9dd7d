#if Loader
import PlatformImage

extension StoredResponse {
    /// The response after a 304 confirmed its body (RFC 9111 §3.2, §4.3.4).
    ///
    /// Lines of the 304 replace all lines of their names, but those that speak of the body, which a 304 has not. What
    /// the 304 does not name stays, with two exceptions: an `Age` without counterpart is the old exchange's, and so is a
    /// `Date`, in place of which stands when the 304 came (RFC 9110 §6.6.1).
    func merged(with fields: HeaderFields, requestTime: WallTime, responseTime: WallTime) -> StoredResponse {
        var news = fields.removingConnectionFields()
        for name in ["Content-Length", "Content-Encoding", "Content-Range"] { news.removeAll(named: name) }
        if !news.contains("Date") { news.append("Date", HTTPDate.format(responseTime)) }

        func key(_ line: HeaderField) -> String {
            String(decoding: line.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
        }
        let replaced = Set(news.lines.map(key)).union(["age"])
        var merged = self
        merged.fields.lines.removeAll { replaced.contains(key($0)) }
        merged.fields.lines += news.lines
        merged.requestTime = requestTime
        merged.responseTime = responseTime
        return merged
    }

    /// The fields to show, with `Age` as of now in whole seconds in the place of any other (RFC 9111 §5.1).
    func fields(age: Int64) -> HeaderFields { fields.settingAge(age) }
}

extension HeaderFields {
    /// These fields with an `Age` of so many milliseconds, in whole seconds, in the place of any other.
    func settingAge(_ age: Int64) -> HeaderFields {
        var shown = self
        shown.removeAll(named: "Age")
        shown.append("Age", String(age / 1000))
        return shown
    }
}
#endif
