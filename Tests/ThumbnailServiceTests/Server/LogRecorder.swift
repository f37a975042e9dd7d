import PlatformImageService
import PlatformImageTestSupport

/// Stores the entries of a log.
struct LogRecorder: Sendable {
    let lines = Locked<[ServiceLog.Entry]>([])

    /// A log whose entries are stored.
    var log: ServiceLog { ServiceLog { [lines] entry in lines.update { $0.append(entry) } } }
}

extension ServiceLog.Entry {
    /// The fields as texts by name.
    var texts: [String: String] {
        Dictionary(
            uniqueKeysWithValues: fields.map { field in
                switch field.value {
                case .text(let text): (field.name, text)
                case .integer(let number): (field.name, "\(number)")
                case .number(let number): (field.name, "\(number)")
                case .list(let texts): (field.name, texts.joined(separator: ","))
                }
            })
    }
}
