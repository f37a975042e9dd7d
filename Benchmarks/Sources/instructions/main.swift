// instructions FIXTURES CASE: runs a case twice; Scripts/bench/instructions counts the second run.
// instructions --list: prints the names of the cases.

import Foundation

/// Runs the counted work; `Scripts/bench/instructions` passes the name of this function to callgrind. Lazy values are
/// initialized by the first run.
@inline(never)
func countedWork(_ work: () throws -> Void) rethrows {
    try work()
}

let arguments = CommandLine.arguments
if arguments.count == 2, arguments[1] == "--list" {
    print(Cases.all(URL(filePath: "/")).map(\.name).joined(separator: "\n"))
    exit(0)
}
guard arguments.count == 3,
    let found = Cases.all(URL(filePath: arguments[1])).first(where: { $0.name == arguments[2] })
else {
    print("usage: instructions FIXTURES CASE | --list")
    exit(64)
}
let work = try found.make()
try work()
try countedWork(work)
