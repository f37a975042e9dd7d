import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Queries package versions with the command `rpm`, because rpm does not document the format of its database.
enum RPMQuery {
    private static let deadline = Duration.seconds(5)
    private static let maxBytes = 1 << 16

    /// The versions of the packages in `names` that are installed. Empty when `rpm` is missing, runs for more than
    /// 5 seconds or writes more than 64 KiB.
    ///
    /// - Parameter program: The path of the command, and arguments that precede the arguments of the query.
    static func versions(of names: [String], program: [String] = ["/usr/bin/rpm"]) -> [String: PackageVersion] {
        let query = ["-q", "--qf", "%{NAME} %|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n"]
        var versions: [String: PackageVersion] = [:]
        for line in String(decoding: output(of: program + query + names), as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            // For a package that is not installed, rpm prints a message of more than two words.
            guard words.count == 2, names.contains(String(words[0])) else { continue }
            versions[String(words[0])] = PackageVersion(String(words[1]))
        }
        return versions
    }

    /// Standard output of a command; empty when it cannot be started, takes longer than `limit` or writes more than
    /// 64 KiB.
    static func output(of arguments: [String], within limit: Duration = deadline) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return [] }
        let reader = ProcFile(owning: ends[0])
        guard let child = start(arguments, writingTo: ends) else {
            _ = close(ends[1])
            return []
        }
        _ = close(ends[1])
        let bytes = readAll(reader, until: .now + limit)
        if bytes == nil { _ = kill(child, SIGKILL) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return bytes ?? []
    }

    /// Starts a process with the pipe's write end as standard output and `/dev/null` for the other streams.
    private static func start(_ arguments: [String], writingTo ends: [Int32]) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { _ = posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        for end in ends where end > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, end) }
        var vector = arguments.map { strdup($0) } + [nil]
        defer { vector.forEach { free($0) } }
        var child = pid_t()
        let result = posix_spawn(&child, arguments[0], &actions, nil, &vector, environ)
        return result == 0 ? child : nil
    }

    /// Reads until end of file; nil at the deadline or when the output exceeds `maxBytes`.
    private static func readAll(_ reader: borrowing ProcFile, until end: ContinuousClock.Instant) -> [UInt8]? {
        var bytes: [UInt8] = []
        while true {
            let left = Int32(clamping: max(0, (end - .now).millisecondCount))
            var event = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&event, 1, left)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, case .success(let chunk) = reader.read(maxBytes: 16_384) else { return nil }
            if chunk.isEmpty { return bytes }
            bytes += chunk
            if bytes.count > maxBytes { return nil }
        }
    }
}
