import Foundation

/// Programs of the build that is tested.
package enum BuiltProgram {
    /// The path of a program, which is in the folder of the test bundle.
    package static func path(of name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path()
    }
}
