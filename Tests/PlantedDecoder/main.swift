import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// A decode worker with planted defects, for tests: a marker in a file makes it act as an attacker who has control of a
// codec. With the argument `in-process NAME` it acts without a sandbox, as a decoder inside of a program would, and
// prints `done` when the action had its effect.

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[1] == "in-process", let action = PlantedAction(rawValue: arguments[2]) {
    let result = Array((action.run(number: 0, socket: -1, slab: []) ? "done\n" : "no effect\n").utf8)
    // Not buffered: the heap may be damaged.
    _exit(write(1, result, result.count) == result.count ? 0 : 1)
}
exit(
    DecodeWorker.run { number, bytes, slab in
        guard let action = PlantedAction(in: bytes) else { return }
        if action == .readSlab {
            // Ends the worker only when it found data of an earlier request.
            if action.run(number: number, socket: DecodeWorker.socket, slab: slab) { abort() }
            return
        }
        _ = action.run(number: number, socket: DecodeWorker.socket, slab: slab)
    })
