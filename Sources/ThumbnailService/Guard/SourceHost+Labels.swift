#if Service
import Foundation

extension SourceHost {
    /// Encodes the labels that are not ASCII as A-labels (Punycode, RFC 3492, with the prefix `xn--`); nil for
    /// characters that are not allowed in a host.
    ///
    /// The text is case-folded and normalized to NFKC first, as in UTS 46, so that full-width digits become ASCII
    /// digits before the check for an IP address. Of the remaining characters outside ASCII, only letters, marks and
    /// digits are accepted, so that lookalikes of dots and slashes are refused.
    static func encoded(_ text: String) -> String? {
        guard text.utf8.count <= 1_024 else { return nil }
        let folded = text.lowercased().precomposedStringWithCompatibilityMapping.lowercased()
        var labels: [String] = []
        for label in folded.split(separator: ".", omittingEmptySubsequences: false) {
            let scalars = Array(label.unicodeScalars)
            guard scalars.allSatisfy({ $0.isASCII || isLetterOrDigit($0) }) else { return nil }
            if scalars.allSatisfy(\.isASCII) {
                labels.append(String(label))
            } else {
                // A label that is not ASCII must not have the prefix `xn--`: it would be encoded twice.
                guard !label.hasPrefix("xn--"), let code = punycode(scalars) else { return nil }
                labels.append("xn--" + code)
            }
        }
        return labels.joined(separator: ".")
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: false
        }
    }

    /// Punycode encoding (RFC 3492 §6.3); nil on overflow.
    static func punycode(_ scalars: [Unicode.Scalar]) -> String? {
        let (base, tMin, tMax) = (36, 1, 26)
        var output = scalars.filter(\.isASCII).map { UInt8($0.value) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias, handled) = (128, 0, 72, basicCount)
        while handled < scalars.count {
            guard let smallest = scalars.lazy.map({ Int($0.value) }).filter({ $0 >= next }).min() else { return nil }
            let (step, overflows) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
            guard !overflows, step < 1 << 40 else { return nil }
            delta += step
            next = smallest
            for scalar in scalars {
                if scalar.value < next { delta += 1 }
                guard scalar.value == next else { continue }
                var (rest, k) = (delta, base)
                while true {
                    let threshold = min(max(k - bias, tMin), tMax)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    k += base
                }
                output.append(digit(rest))
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? value + 0x61 : value - 26 + 0x30) }

    /// Bias adaptation (RFC 3492 §6.1).
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (36 - 1) * 26 / 2 {
            delta /= 36 - 1
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
#endif
