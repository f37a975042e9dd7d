// decode-bench FILE...: the table of `imagetool bench decode`, by the same code, without the tool and its packages.
// ROUNDS says how many rounds count (11).
// decode-bench --turns FILE: decodes with both sides for each line that comes in, and prints the nanoseconds of CPU
// that each took: ours, the library's. For peers.py, whose decoders take turns with it.

import Foundation
import PlatformImageBenchmarking

func load(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

func takeTurns(_ path: String) throws {
    let benchmark = try DecodeBenchmark(load(path), name: path, rounds: 1, hasBaseline: true)
    let header = benchmark.header
    print("\(header.width) \(header.height) \(benchmark.frames) \(benchmark.goal.kind)")
    fflush(nil)
    // The second finds the file in the processor's cache: each goes first in turn.
    var baselineGoesFirst = false
    while readLine() != nil {
        let before = baselineGoesFirst ? benchmark.timeBaseline(1) : nil
        let ours = try benchmark.timeOurs(1)
        print(Int(ours.cpu), Int((before ?? benchmark.timeBaseline(1)).cpu))
        fflush(nil)
        baselineGoesFirst.toggle()
    }
}

let rounds = ProcessInfo.processInfo.environment["ROUNDS"].flatMap { Int($0) } ?? 11
let paths = CommandLine.arguments.dropFirst()
guard let first = paths.first, rounds > 0 else {
    print("usage: [ROUNDS=11] decode-bench FILE... | decode-bench --turns FILE")
    exit(64)
}
if first == "--turns", let path = paths.last {
    try takeTurns(path)
    exit(0)
}
let results = try paths.map { try DecodeBenchmark(load($0), name: $0, rounds: rounds, hasBaseline: true) }
print(DecodeTable.text(of: results), terminator: "")
exit(results.contains { $0.verdict == .missed || $0.verdict == .pixelsDiffer } ? 1 : 0)
