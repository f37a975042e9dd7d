/// The data sets of IPTC-IIM 4.2: a marker, the record number, the data set number, the length and the value.
///
/// The data sets are ranges of the records, which are read again for each question: a record of 4 MB can have 800,000
/// of them.
struct IPTCRecords {
    static let marker: UInt8 = 0x1C

    private struct DataSet {
        let record: UInt8
        let number: UInt8
        /// Marker, numbers, length and value.
        let all: Range<Int>
        let value: Range<Int>
    }
    private let records: [UInt8]

    /// Reads the data sets up to the first that is damaged; nil when there is none.
    init?(_ bytes: [UInt8]) {
        records = bytes
        var cursor = ByteCursor(bytes.span)
        guard Self.next(&cursor, bytes.span) != nil else { return nil }
    }

    /// The next data set; nil after the last one, and when it is damaged.
    private static func next(_ cursor: inout ByteCursor, _ bytes: Span<UInt8>) -> DataSet? {
        let start = cursor.position
        guard cursor.next(bytes) == marker, let record = cursor.next(bytes), let number = cursor.next(bytes),
            var length = cursor.number(2, .big, bytes)
        else { return nil }
        if length >= 0x8000 {  // an extended data set: the number of bytes of the length
            guard let byteCount = length.minus(0x8000)?.int(in: 1...4),
                let extended = cursor.number(byteCount, .big, bytes)
            else { return nil }
            length = extended
        }
        guard let value = cursor.take(length) else { return nil }
        return DataSet(record: record, number: number, all: cursor.range(from: start), value: value)
    }

    /// The data sets that a policy keeps, in their order; nil when there is none but those that all records have.
    ///
    /// - Parameter flag: When it is raised, the result is nil: the caller polls it afterwards.
    func filtered(by policy: MetadataPolicy, cancellation flag: CancellationFlag? = nil) -> [UInt8]? {
        var cursor = ByteCursor(records.span)
        var (kept, hasContent, count): ([UInt8], Bool, Int) = ([], false, 0)
        while let set = Self.next(&cursor, records.span) {
            count &+= 1
            if let flag, count.isMultiple(of: 4096), (try? flag.poll()) == nil { return nil }
            guard Self.keeps(set, policy) else { continue }
            kept.append(contentsOf: slice(set.all))
            if !Self.isFormal(set) { hasContent = true }
        }
        return hasContent ? kept : nil
    }

    private static func keeps(_ set: DataSet, _ policy: MetadataPolicy) -> Bool {
        if isFormal(set) { return true }
        // Records 3 to 9 and these numbers of record 2 contain a preview of the source.
        let isApplication = set.record == application
        if set.record > application || isApplication && (200...202).contains(set.number) { return false }
        switch policy {
        case .strip: return false
        case .copyright:
            return isApplication && [Number.byline, Number.credit, Number.copyright].contains(set.number)
        case .withoutLocation: return !isApplication || !Number.locations.contains(set.number)
        case .all: return true
        }
    }

    /// The by-line (2:80) and the copyright notice (2:116), without control characters; nil when absent or empty.
    var credits: (artist: String?, copyright: String?) { (text(Number.byline), text(Number.copyright)) }

    private func text(_ number: UInt8) -> String? {
        var cursor = ByteCursor(records.span)
        while let set = Self.next(&cursor, records.span) {
            guard set.record == Self.application, set.number == number else { continue }
            let characters = slice(set.value).filter { $0 >= 0x20 }
            // Records without a declared character set are UTF-8 or, in old files, ISO 8859-1.
            let text =
                String(validating: characters, as: UTF8.self)
                ?? String(String.UnicodeScalarView(characters.map { Unicode.Scalar($0) }))
            return text.isEmpty ? nil : text
        }
        return nil
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        records[range.clamped(to: records.indices)]  // trap-free: clamped to the indices
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
