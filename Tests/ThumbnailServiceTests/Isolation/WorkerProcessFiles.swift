#if os(Linux)
import Foundation
import Testing

/// Facts of a process from /proc.
struct WorkerProcessFiles {
    let identifier: Int32

    /// Process numbers of the children of this process, of all threads.
    static func children() throws -> [Int32] {
        let tasks = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
            // A thread can end after the folder was listed.
            let text = (try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }
    }

    /// A field of `status`, such as `2` for `Seccomp`.
    func status(_ name: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }

    var environment: Data { get throws { try Data(contentsOf: URL(filePath: "/proc/\(identifier)/environ")) } }

    /// Targets of the open descriptors.
    var descriptors: [String] {
        get throws {
            let folder = "/proc/\(identifier)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).map {
                try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
        }
    }

    /// The nice value, field 19 of `stat`.
    var niceness: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)
            // The name, field 2, is in parentheses.
            let fields = try #require(text.split(separator: ")").last).split(separator: " ")
            return try #require(Int(fields[16]))
        }
    }
}
#endif
