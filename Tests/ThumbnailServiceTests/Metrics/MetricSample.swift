import Testing

/// A sample line of the Prometheus text format.
struct MetricSample: Sendable {
    let name: String
    let labels: [String: String]
    let value: Double

    /// Parses all samples; throws for an invalid line and for a sample outside its metric family.
    static func all(in text: String) throws -> [Self] {
        var samples: [Self] = []
        var families: Set<String> = []
        var family = ""
        try #require(text.isEmpty || text.hasSuffix("\n"))
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# HELP ") { continue }
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                try #require(words.count == 4 && ["counter", "gauge", "histogram", "summary"].contains(words[3]))
                family = String(words[2])
                try #require(families.insert(family).inserted, "duplicate metric family: \(family)")
                continue
            }
            let sample = try Self(line)
            try #require(sample.name.hasPrefix(family) && !family.isEmpty)
            samples.append(sample)
        }
        return samples
    }

    private init(_ line: Substring) throws {
        var rest = Array(line.unicodeScalars)[...]
        func word(_ isPart: (Unicode.Scalar) -> Bool) throws -> String {
            let part = rest.prefix(while: isPart)
            rest = rest.dropFirst(part.count)
            try #require(part.first.map { !("0"..."9").contains($0) } == true, "\(line)")
            return String(String.UnicodeScalarView(part))
        }
        func isWord(_ scalar: Unicode.Scalar) -> Bool {
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "_"
        }
        name = try word { isWord($0) || $0 == ":" }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest = rest.dropFirst()
                let label = try word(isWord)
                try #require(rest.starts(with: ["=", "\""]))
                rest = rest.dropFirst(2)
                var value = String.UnicodeScalarView()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    let escaped = rest.popFirst()
                    let next = try #require(escaped)
                    try #require(["\\", "\"", "n"].contains(next))
                    value.append(next == "n" ? "\n" : next)
                }
                try #require(labels.updateValue(String(value), forKey: label) == nil)
            } while rest.first == ","
            try #require(rest.first == "}")
            rest = rest.dropFirst()
        }
        self.labels = labels
        try #require(rest.first == " ")
        let number = String(String.UnicodeScalarView(rest.dropFirst()))
        value = number == "+Inf" ? .infinity : number == "NaN" ? .nan : try #require(Double(number))
    }
}

extension [MetricSample] {
    /// The value of the first sample that has at least these labels; nil without such a sample.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        first { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }?.value
    }
}
