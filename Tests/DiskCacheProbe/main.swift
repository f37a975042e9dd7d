#if Loader
import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The other process of the fault tests: `DiskCacheProbe FOLDER COMMAND NUMBER...`. It works on a cache's folder,
// writes lines about it, and ends with 3 when the cache lied, with 4 when it lost what it had to keep.
// A probe that hangs is a fault too: the alarm ends it, and its exit code says so. FAULT_SECONDS as FaultSeed has it.
alarm(900 + UInt32(getenv("FAULT_SECONDS").flatMap { Double(String(cString: $0)) } ?? 0) * 4)
// Swift finds no arguments under libfaketime, which moves the environment that they are found by.
let passed = getenv("DISK_CACHE_PROBE").map { String(cString: $0).split(separator: "\n").map(String.init) }
let words = (passed ?? Array(CommandLine.arguments.dropFirst()))[...]
guard words.count >= 2, let command = Command(rawValue: words[words.startIndex + 1]) else {
    say("usage: DiskCacheProbe FOLDER COMMAND NUMBER...")
    exit(64)
}
await command.run(in: words[words.startIndex], words.dropFirst(2).map { Int($0) ?? 0 })
exit(0)
#endif
