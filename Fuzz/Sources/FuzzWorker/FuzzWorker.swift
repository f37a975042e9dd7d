// libFuzzer target for the program's side of the protocol with decode workers: the input is the behaviour of a hostile
// worker. The first byte selects a message (even) or a conversation (odd). With WORKER_SEEDS=FOLDER the program writes
// the seeds instead. SwiftPM renames the function `main` of an executable, so this file calls `LLVMFuzzerRunDriver`
// explicitly.

import Foundation
import PlatformImage

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    guard let first = bytes.first else { return 0 }
    if first.isMultiple(of: 2) {
        WorkerFuzzing.readReport(Array(bytes.dropFirst()))
    } else {
        WorkerFuzzing.converse(Array(bytes.dropFirst()))
    }
    return 0
}

func writeSeeds(to folder: String) throws {
    let seeds = WorkerFuzzing.seeds
    let files = seeds.reports.map { [0] + $0 } + seeds.conversations.map { [1] + $0 }
    for (index, file) in files.enumerated() {
        try Data(file).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
}

@main struct FuzzWorker {
    static func main() throws {
        if let folder = ProcessInfo.processInfo.environment["WORKER_SEEDS"] { return try writeSeeds(to: folder) }
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
