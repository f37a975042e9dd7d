import PlatformImage
import PlatformImageLoader

extension DecodeIsolation {
    /// Starts the worker processes of a service.
    ///
    /// - Throws: `internalFault` with a message for the operator when they cannot start.
    init(_ configuration: ServiceConfiguration, log: ServiceLog) throws(ServiceError) {
        do throws(DecodeError) {
            let workers = try DecodeWorkers(DecodeWorkers.Configuration(configuration, log: log))
            if workers.sandbox.landlockVersion == 0 {
                log.write(
                    .warning, "the kernel has no Landlock: only the system call filter confines the decode workers")
            }
            self.init(workers)
        } catch {
            throw ServiceError(
                .internalFault,
                "decode.isolation: \(error.message); `--isolation off` (decode.isolation) decodes without workers")
        }
    }
}

extension DecodeWorkers.Configuration {
    fileprivate init(_ service: ServiceConfiguration, log: ServiceLog) {
        self.init()
        executable = service.decode.decoderPath
        let width = service.limits.threads > 0 ? service.limits.threads : AvailableProcessors().count
        // Renders use at most `width` workers. The others read headers, which must not wait for the end of a render.
        workerCount = width + (width + 3) / 4
        niceness = ThumbnailEngine.niceness
        // A request ends at its deadline. Other requests can join its decode, so the decode may last longer.
        timeLimit = max(timeLimit, service.server.deadline)
        // Pixels in shared memory and the memory of the decoder; the rest is for code and input.
        let pixelBytes = service.limits.inFlightBytes.multipliedClamped(by: 2)
        addressSpaceBytes = max(addressSpaceBytes, pixelBytes.addingClamped(1 << 30))
        onFailure = { failure, bytes in
            let digest = bytes.withUnsafeBytes { bytes in
                var hash = SHA256()
                hash.update(bytes)
                return hash.finalize()
            }
            log.write(
                .error, "decode worker ended",
                [
                    ("reason", .text(failure.reason.rawValue)), ("detail", .text(failure.error.detail ?? "-")),
                    ("format", .text(failure.error.format?.rawValue ?? "-")),
                    ("sha256", .text(String(hexadecimal: digest))),
                    ("source_bytes", .integer(bytes.count)),
                    ("process_id", .integer(Int(failure.processIdentifier))),
                ])
        }
    }
}
