import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The sandboxed decode worker. A program that uses `DecodeWorkers` starts it; it is of no use from a command line.
exit(DecodeWorker.run())
