import PlatformImageTestSupport
import Testing

@testable import imagetool

/// Validation of security settings by `imagetool serve` and `imagetool sign`.
@Suite struct ServeStartTests {
    @Test(.requirement("N18")) func serveIgnoresKubernetesServiceAndUnknownEnvironmentVariables() throws {
        let run = try ToolRun(
            shell: """
                IMAGETOOL_SERVICE_HOST=10.0.0.1 IMAGETOOL_SERVICE_PORT=8080 IMAGETOOL_PORT=tcp://10.0.0.1:8080 \
                IMAGETOOL_PORT_8080_TCP=tcp://10.0.0.1:8080 IMAGETOOL_PORT_8080_TCP_ADDR=10.0.0.1 IMAGETOOL_OTHER=1 \
                IMAGETOOL_SERVER_PROT=81 IMAGETOOL_SERVER_HOST=::1 "$TOOL" serve --print-config
                """)

        #expect(run.exitCode == 0)
        #expect(
            run.errors == """
                imagetool: ignored unknown environment variables: IMAGETOOL_OTHER, \
                IMAGETOOL_SERVER_PROT

                """)
        #expect(run.text.contains(#/server.host +environment +::1\n/#))
    }

    @Test(.requirement("X19")) func shortSigningKeyIsRejectedByServeAndReportedAsAWarningBySign() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("my-security-key\n".utf8), to: "short")
        try folder.write(Array("a key of 16 byte\n".utf8), to: "long")

        let served = try ToolRun("serve", "--port", "0", "--admin-port", "off", "--keys", folder.path("short"))
        #expect(served.exitCode == 64)
        #expect(served.errors.contains("signing key 1 of 1 has 15 bytes; at least 16 are required"))

        // A signing scenario that thumbor publishes.
        let rest = "300x200/my.server.com/some/path/to/image.jpg"
        let signed = try ToolRun("sign", folder.path("short"), rest)
        #expect(signed.exitCode == 0)
        #expect(signed.text == "/8ammJH8D-7tXy6kU3lTvoXlhu4o=/\(rest)\n")
        #expect(signed.errors == "imagetool: the first key has 15 bytes; `imagetool serve` requires at least 16\n")
        #expect(try ToolRun("sign", folder.path("long"), rest).errors == "")
    }

    @Test func cacheDirectoryThatIsAFileExitsWith74() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "file")
        for path in [folder.path("file"), folder.path("file/below"), "/dev/null"] {
            for option in [["--cache-dir", path], ["--set", "cache.directory=\(path)"]] {
                let run = try ToolRun(["serve", "--port", "0", "--admin-port", "off", "--unsafe"] + option)

                #expect(run.exitCode == 74, "\(path)")
                #expect(run.errors.contains("\(path): io: cache.directory is not a directory\n"), "\(run.errors)")
                #expect(!run.errors.contains("listening"))
            }
        }
    }

    @Test func missingKeyFileOfSignExitsWith66AndItsName() throws {
        let run = try ToolRun("sign", "/no/keys", "300x200/a.example/cat.jpg")

        #expect(run.exitCode == 66)
        #expect(run.errors == "/no/keys: noInput: No such file or directory\n")
    }

    /// Such a line is a key that can be guessed.
    @Test func keyThatLooksLikeACommentCausesAWarning() throws {
        let folder = try TemporaryFolder()
        try folder.write(Array("a key of 16 byte\n# the keys of 2026\n".utf8), to: "keys")
        let warning = "signing key 2 of 2 begins with #: each line is a key, there are no comments"

        #expect(try ToolRun("sign", folder.path("keys"), "1x1/a").errors == "imagetool: \(warning)\n")
        let served = try ToolRun("serve", "--keys", folder.path("keys"), "--print-config")
        #expect(served.errors.contains(warning), "\(served.errors)")
    }

    @Test(
        .requirement("X2"),
        arguments: ["http://a.example", "http:///", ""])
    func iiifPrefixWithoutHostOrFinalSlashExitsWith64(_ prefix: String) throws {
        let run = try ToolRun("serve", "--port", "0", "--admin-port", "off", "--unsafe", "--iiif-prefix", prefix)

        #expect(run.exitCode == 64)
        #expect(run.errors.contains("iiif.map (option): invalid value \"\(prefix)\"; expected list of: "))
    }

    @Test(arguments: [
        ("IMAGETOOL_LOG_LEVEL=info", "", true), ("IMAGETOOL_LOG_LEVEL=trace", "", true),
        ("IMAGETOOL_LOG_LEVEL=warning", "", false), ("", "--set log.level=error", false),
        ("IMAGETOOL_LOG_LEVEL=debug", "--quiet", false), ("", "", true),
    ])
    func logLevelSelectsTheLinesAndTheTextLineRemains(_ variable: String, _ option: String, _ isLogged: Bool) throws {
        // The service ends by SIGTERM after it listens.
        let run = try ToolRun(
            shell: """
                log=$(mktemp) && \(variable.isEmpty ? ":" : "export \(variable)")
                "$TOOL" serve --unsafe --isolation off --port 0 --admin-port off \(option) 2> "$log" &
                until grep -q 'listening on 127.0.0.1:' "$log"; do kill -0 $! || break; done
                kill $!; wait $!; cat "$log"; rm "$log"
                """)
        #expect(run.text.contains(#/imagetool: listening on 127\.0\.0\.1:\d+\n/#))
        let line = #/"level":"info","message":"listening","host":"127\.0\.0\.1","port":\d+\}/#
        #expect(run.text.contains(line) == isLogged)
    }
}
