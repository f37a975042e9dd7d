import Foundation
import PlatformImageToolSupport
import Testing

@testable import imagetool

/// Calls of an earlier version of `imagetool`, which used swift-argument-parser, with their exit codes and outputs
/// (`command-line.json`): help in several widths, versions and wrong calls.
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
            // Element of the usage of `worker` that only builds with the thumbnail service show.
            let address = " [--allow-cidr <allow-cidr> ...]"
            output = try result.decode(String.self).replacing(address, with: "")
            errors = try result.decode(String.self).replacing(address, with: "")
        }

        var testDescription: String { "\(arguments) at \(columns) columns" }

        /// Reason why this version prints another text; `nil` when it must print the same.
        var exclusion: Exclusion? {
            let command = arguments.first { $0 != "help" }
            if ["serve", "sign", "health", "warm"].contains(command) { return .serviceCommand }
            if command == "worker", (output + errors).contains("--allow-cidr") { return .serviceOption }
            return nil
        }
    }

    /// The only differences to the records.
    enum Exclusion {
        /// This version does not contain the commands of the thumbnail service.
        case serviceCommand
        /// The option `--allow-cidr` of `worker` is hidden in builds without the thumbnail service.
        case serviceOption
    }

    private static let records: [Record] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "command-line.json")
        return (try? JSONDecoder().decode([Record].self, from: Data(contentsOf: file))) ?? []
    }()

    /// Parses and runs in this process; only commands that print their help are run.
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
        for record in Self.records where record.exclusion == nil {
            let message = try message(record.arguments, columns: record.columns == 0 ? 80 : record.columns)

            #expect(message?.exitCode == record.exitCode, "\(record.testDescription)")
            #expect(message?.output == record.output, "\(record.testDescription)")
            #expect(message?.errors == record.errors, "\(record.testDescription)")
        }
    }

    @Test func onlyCallsThatNeedTheThumbnailServiceAreNotCompared() {
        let exclusions = Dictionary(grouping: Self.records.compactMap(\.exclusion)) { $0 }.mapValues(\.count)

        #expect(exclusions == [.serviceCommand: 133, .serviceOption: 9])
        #expect(Self.records.count == 630)
    }

    /// One record of each kind: help, version, unknown command, missing value, invalid option.
    @Test(
        arguments: [
            [], ["-h"], ["help", "cache", "stat"], ["--version"], ["nope"], ["thumb", "--metadata"], ["load", "-=="],
        ])
    func processPrintsTheRecordedOutput(_ arguments: [String]) throws {
        let records = Self.records.filter { $0.arguments == arguments }
        #expect(!records.isEmpty)

        for record in records {
            let columns = record.columns == 0 ? "-u COLUMNS" : "COLUMNS=\(record.columns)"
            let run = try ToolRun(shell: "exec env \(columns) \"$TOOL\" \(arguments.joined(separator: " "))")

            #expect(run.exitCode == record.exitCode)
            #expect(run.text == record.output)
            #expect(run.errors == record.errors)
        }
    }

    @Test(arguments: ["serve", "sign", "health", "warm"], [["--help"], [], ["-x", "a"]])
    func commandsOfTheServiceExitWith64AndOneLine(_ command: String, _ arguments: [String]) throws {
        let run = try ToolRun([command] + arguments)

        #expect(run.exitCode == 64)
        #expect(run.output.isEmpty)
        #expect(
            run.errors
                == "imagetool: the command \(command) is not in this version; it returns with the thumbnail service\n")
    }
}
