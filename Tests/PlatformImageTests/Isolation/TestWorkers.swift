import Foundation

@testable import PlatformImage

/// Worker processes of the build that is tested.
enum TestWorkers {
    /// The path of a program of this build.
    static func path(of program: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: program).path()
    }

    static func start(
        program: String = "imagetool-decoder", _ change: (inout DecodeWorkers.Configuration) -> Void = { _ in }
    ) throws(DecodeError) -> DecodeWorkers {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = path(of: program)
        configuration.workerCount = 2
        change(&configuration)
        return try DecodeWorkers(configuration)
    }
}
