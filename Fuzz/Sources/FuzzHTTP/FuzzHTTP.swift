// libFuzzer target for the checks of HTTP responses: the input is a part of a hostile response. Its first byte selects
// a head (even) or a chunked body (odd). With HTTP_SEEDS=FOLDER the program writes the seeds instead. SwiftPM renames
// the function `main` of an executable, so this file calls `LLVMFuzzerRunDriver` explicitly.

import Foundation
import PlatformImageLoader

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
        HTTPFuzzing.parseHeads(Array(bytes.dropFirst()))
    } else {
        HTTPFuzzing.decodeChunks(Array(bytes.dropFirst()))
    }
    return 0
}

func writeSeeds(to folder: String) throws {
    let files = HTTPFuzzing.heads.map { [0] + $0.utf8 } + HTTPFuzzing.bodies.map { [1, 3] + $0.utf8 }
    for (index, file) in files.enumerated() {
        try Data(file).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
}

@main struct FuzzHTTP {
    static func main() throws {
        if let folder = ProcessInfo.processInfo.environment["HTTP_SEEDS"] { return try writeSeeds(to: folder) }
        var count = CommandLine.argc
        var words = CommandLine.unsafeArgv
        _ = runDriver(&count, &words, test)
    }
}
