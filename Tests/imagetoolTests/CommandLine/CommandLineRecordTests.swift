import Foundation
import PlatformImageToolSupport
import Testing

@testable import imagetool

/// Calls of an earlier version of `imagetool`, which used swift-argument-parser, with their exit codes and outputs
/// (`command-line.json`): help in several widths, versions and wrong calls. The records of commands whose options have
/// changed, and of unknown options beside missing values, have the present texts.
@Suite struct CommandLineRecordTests {
    struct Record: Decodable, CustomTestStringConvertible {
        let arguments: [String]
        /// The environment variable COLUMNS; 0 when it was not set.
        let columns: Int
        let exitCode: Int32
        let output: String
        let errors: String

        private enum Key: CodingKey { case arguments, columns, result }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            arguments = try values.decode([String].self, forKey: .arguments)
            columns = try values.decode(Int.self, forKey: .columns)
            var result = try values.nestedUnkeyedContainer(forKey: .result)
            exitCode = try result.decode(Int32.self)
            output = try result.decode(String.self)
            errors = try result.decode(String.self)
        }

        var testDescription: String { "\(arguments) at \(columns) columns" }
    }

    private static let records: [Record] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "command-line.json")
        return (try? JSONDecoder().decode([Record].self, from: Data(contentsOf: file))) ?? []
    }()

    /// Parses and runs in this process; only commands that print their help are run. Nil for a valid call of another
    /// command.
    private func message(_ arguments: [String], columns: Int) throws -> CommandMessage? {
        do {
            var command = try ImageTool.parseAsRoot(arguments)
            guard !type(of: command).configuration.subcommands.isEmpty else { return nil }
            try command.run()
            return nil
        } catch {
            return CommandMessage(error, root: ImageTool.self, columns: columns)
        }
    }

    @Test func recordedCallsHaveTheSameExitCodeAndOutput() throws {
        #expect(Self.records.count == 630)
        for record in Self.records {
            let message = try message(record.arguments, columns: record.columns == 0 ? 80 : record.columns)
            guard message != nil else {
                try expectThatTheProcessPrints(record)
                continue
            }

            #expect(message?.exitCode == record.exitCode, "\(record.testDescription)")
            #expect(message?.output == record.output, "\(record.testDescription)")
            #expect(message?.errors == record.errors, "\(record.testDescription)")
        }
    }

    /// One record of each kind: help, version, unknown command, missing value, invalid option.
    @Test(
        arguments: [
            [], ["-h"], ["help", "cache", "stat"], ["--version"], ["nope"], ["thumb", "--metadata"], ["load", "-=="],
            ["serve", "--help"], ["health", "--url"],
        ])
    func processPrintsTheRecordedOutput(_ arguments: [String]) throws {
        let records = Self.records.filter { $0.arguments == arguments }
        #expect(!records.isEmpty)

        for record in records { try expectThatTheProcessPrints(record) }
    }

    private func expectThatTheProcessPrints(_ record: Record) throws {
        let columns = record.columns == 0 ? "-u COLUMNS" : "COLUMNS=\(record.columns)"
        let run = try ToolRun(shell: "exec env \(columns) \"$TOOL\" \(record.arguments.joined(separator: " "))")

        #expect(run.exitCode == record.exitCode, "\(record.testDescription)")
        #expect(run.text == record.output, "\(record.testDescription)")
        #expect(run.errors == record.errors, "\(record.testDescription)")
    }
}
