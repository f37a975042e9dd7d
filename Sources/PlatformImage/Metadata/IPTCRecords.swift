/// The data sets of IPTC-IIM 4.2: a marker, the record number, the data set number, the length and the value.
struct IPTCRecords {
    static let marker: UInt8 = 0x1C

    private struct DataSet {
        let record: UInt8
        let number: UInt8
        /// Marker, numbers, length and value.
        let bytes: [UInt8]
        let value: ArraySlice<UInt8>
    }
    private var dataSets: [DataSet] = []

    /// Reads the data sets up to the first that is damaged; nil when there is none.
    init?(_ bytes: [UInt8]) {
        var at = 0
        while at + 5 <= bytes.count, bytes[at] == Self.marker {
            var (start, length) = (at + 5, Int(bytes[at + 3]) << 8 | Int(bytes[at + 4]))
            if length >= 0x8000 {  // an extended data set: the number of bytes of the length
                let count = length & 0x7FFF
                guard (1...4).contains(count), count <= bytes.count - start else { break }
                length = bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
                start += count
            }
            guard length <= bytes.count - start else { break }
            dataSets.append(
                DataSet(
                    record: bytes[at + 1], number: bytes[at + 2], bytes: Array(bytes[at..<start + length]),
                    value: bytes[start..<start + length]))
            at = start + length
        }
        if dataSets.isEmpty { return nil }
    }

    /// The data sets in their order; nil when there is none but those that all records have.
    var bytes: [UInt8]? {
        let hasContent = dataSets.contains { !Self.isFormal($0) }
        return hasContent ? dataSets.flatMap(\.bytes) : nil
    }

    /// The data sets that a policy keeps.
    func filtered(by policy: MetadataPolicy) -> Self {
        var records = self
        records.dataSets.removeAll { set in
            if Self.isFormal(set) { return false }
            // Records 3 to 9 and these numbers of record 2 contain a preview of the source.
            let isApplication = set.record == Self.application
            if set.record > Self.application || isApplication && (200...202).contains(set.number) { return true }
            switch policy {
            case .strip: return true
            case .copyright:
                return !isApplication || ![Number.byline, Number.credit, Number.copyright].contains(set.number)
            case .withoutLocation: return isApplication && Number.locations.contains(set.number)
            case .all: return false
            }
        }
        return records
    }

    /// The by-line (2:80) and the copyright notice (2:116), without control characters; nil when absent or empty.
    var credits: (artist: String?, copyright: String?) { (text(Number.byline), text(Number.copyright)) }

    private func text(_ number: UInt8) -> String? {
        guard let value = dataSets.first(where: { $0.record == Self.application && $0.number == number })?.value else {
            return nil
        }
        let characters = value.filter { $0 >= 0x20 }
        // Records without a declared character set are UTF-8 or, in old files, ISO 8859-1.
        let text =
            String(validating: characters, as: UTF8.self)
            ?? String(String.UnicodeScalarView(characters.map { Unicode.Scalar($0) }))
        return text.isEmpty ? nil : text
    }

    private static let envelope: UInt8 = 1
    private static let application: UInt8 = 2

    /// True for the version numbers and the character set (1:90).
    private static func isFormal(_ set: DataSet) -> Bool {
        set.number == 0 && set.record <= application || set.record == envelope && set.number == 90
    }

    /// Data sets of record 2.
    private enum Number {
        static let byline: UInt8 = 80
        static let credit: UInt8 = 110
        static let copyright: UInt8 = 116
        /// Content location code and name, city, sublocation, province, country code and name.
        static let locations: Set<UInt8> = [26, 27, 90, 92, 95, 100, 101]
    }
}
