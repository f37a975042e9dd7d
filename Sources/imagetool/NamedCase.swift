#if Tool
import ArgumentParser

/// The case of that name, for options whose values have names.
///
/// - Throws: A `ValidationError` with the names there are.
func named<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value
where Value.RawValue == String {
    guard let value = Value(rawValue: name) else {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is none of \(names)")
    }
    return value
}
#endif
