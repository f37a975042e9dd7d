import PlatformImage
import PlatformImageToolSupport

/// The options of commands that can decode in sandboxed worker processes.
struct IsolationOptions: ParsableArguments {
    enum Mode: String, CaseIterable { case on, off }

    @Option(
        help: "Decode in sandboxed worker processes: on or off. (default: off; for the command worker: on)",
        transform: parseChoice)
    var isolation: Mode?
    @Option(
        help: ArgumentHelp(
            "Path of the worker program for --isolation on. (default: imagetool-decoder next to imagetool)",
            valueName: "path"))
    var decoder: String?

    func validate() throws {
        if decoder == "" { throw ValidationError("--decoder must not be empty.") }
    }

    /// Starts the worker processes that the options select.
    ///
    /// - Parameters:
    ///   - workers: Maximum number of concurrent decodes; 0 for one per core.
    ///   - limits: Limits of the decodes.
    ///   - mode: Applies without `--isolation`.
    /// - Throws: `ValidationError` when the worker processes cannot start.
    func start(workers: Int, limits: DecodeLimits, default mode: Mode = .off) throws -> DecodeIsolation {
        guard isolation ?? mode == .on else { return .inProcess }
        do throws(DecodeError) {
            return DecodeIsolation(try DecodeWorkers(configuration(workers: workers, limits: limits)))
        } catch {
            throw ValidationError("--isolation on: \(error.message).")
        }
    }

    func configuration(workers: Int, limits: DecodeLimits) -> DecodeWorkers.Configuration {
        var configuration = DecodeWorkers.Configuration()
        configuration.executable = decoder
        configuration.workerCount = workers
        // As in process: only --deadline limits the time.
        configuration.timeLimit = .seconds(24 * 3_600)
        // Memory of the largest image that the limits allow: 4 bytes of the result, at most 8 of the decoder for each
        // pixel.
        let pixels = limits.maxPixels ?? 0
        configuration.addressSpaceBytes = max(
            configuration.addressSpaceBytes, min(pixels, 1 << 50) * 12 + (1 << 30))
        return configuration
    }
}
