import PlatformImage

extension StoredResponse {
    /// Returns the response updated by a 304 (RFC 9111 §3.2, §4.3.4).
    ///
    /// Lines of the 304 replace all stored lines of the same names. Its Content-Length, Content-Encoding, Content-Range
    /// and connection-specific fields are ignored. Other stored fields are retained, with two exceptions: a stored
    /// `Age` is removed, and if the 304 has no `Date`, the stored `Date` is replaced by the time when the 304 was
    /// received (RFC 9110 §6.6.1).
    func merged(with fields: HeaderFields, requestTime: WallTime, responseTime: WallTime) -> StoredResponse {
        var newFields = fields.removingConnectionFields()
        for name in ["Content-Length", "Content-Encoding", "Content-Range"] { newFields.removeAll(named: name) }
        if !newFields.contains("Date") { newFields.append("Date", HTTPDate.format(responseTime)) }

        func key(_ line: HeaderField) -> String {
            String(decoding: line.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
        }
        let replaced = Set(newFields.lines.map(key)).union(["age"])
        var merged = self
        merged.fields.lines.removeAll { replaced.contains(key($0)) }
        merged.fields.lines += newFields.lines
        merged.requestTime = requestTime
        merged.responseTime = responseTime
        return merged
    }

    /// Returns the fields with the current `Age` (RFC 9111 §5.1) in whole seconds, replacing any other `Age`; `age` is
    /// in milliseconds.
    func fields(age: Int64) -> HeaderFields { fields.settingAge(age) }
}

extension HeaderFields {
    /// Returns the fields with an `Age` in whole seconds, replacing any other `Age`; `age` is in milliseconds.
    func settingAge(_ age: Int64) -> HeaderFields {
        var fields = self
        fields.removeAll(named: "Age")
        fields.append("Age", String(age / 1000))
        return fields
    }
}
