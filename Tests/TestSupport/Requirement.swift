public import Testing

/// The identifiers of the documented requirements that a test or a suite verifies.
///
/// `O1` to `O98` and `C1` to `C18` are rows of Docs/originals.md, `SV1` to `SV25` rows of Docs/service-security.md,
/// `HS1` to `HS42` rows of Docs/http-server.md; `A`, `B`, `D`, `E`, `M`, `N` and `X` with a number are rows of
/// Docs/defects.md.
/// `Scripts/build/requirements` reads them from the sources and writes the tables of tests in these documents.
public struct Requirement: TestTrait, SuiteTrait {
    /// One or more identifiers, such as `O22`.
    public let ids: [String]

    /// The identifiers, printed with the test when it fails.
    public var comments: [Comment] { ["requirement \(ids.joined(separator: ", "))"] }
}

extension Trait where Self == Requirement {
    /// Names the requirements that a test verifies: `@Test(.requirement("O22", "O23"))`.
    public static func requirement(_ ids: String...) -> Self { Requirement(ids: ids) }
}
