#if Service
extension SystemResolver {
    /// The part of a host name below which one owner may create names freely, without a public suffix list.
    ///
    /// The last two labels, or the last three where the last label is a country code (two letters) and the label before
    /// it is one of the usual second-level registries (`example.co.uk`). Shared hosting domains such as `github.io`
    /// count as one domain: their names share one limit, which costs a wait and never lets one owner have more.
    ///
    /// - Parameter name: In lower case, as ``SourceHost`` has it.
    static func registrableDomain(of name: String) -> Substring {
        let labels = name.split(separator: ".")
        guard labels.count > 2 else { return name[...] }
        let isBelowRegistry = labels[labels.count - 1].utf8.count == 2 && registries.contains(labels[labels.count - 2])
        return name[labels[labels.count - (isBelowRegistry ? 3 : 2)].startIndex...]
    }

    /// Second-level labels below country codes under which registries sell names.
    private static let registries: Set<Substring> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "gv", "mil", "ne", "net", "nom", "or", "org", "sch",
    ]
}
#endif
