#if Service
import Testing

@testable import PlatformImageService

/// N18: variables of the environment that are no keys are never a reason not to start.
@Suite struct EnvironmentVariableTests {
    /// What Kubernetes 1.30 injects for a Service object with a named and an unnamed port; `prefix` is its name in upper
    /// case with `_` for `-`.
    static func injected(_ prefix: String, _ address: String = "10.0.0.1") -> [String: String] {
        let host = address.contains(":") ? "[\(address)]" : address
        return [
            "\(prefix)_SERVICE_HOST": address, "\(prefix)_SERVICE_PORT": "8080", "\(prefix)_SERVICE_PORT_HTTP": "8080",
            "\(prefix)_SERVICE_PORT_DNS_UDP": "53", "\(prefix)_PORT": "tcp://\(host):8080",
            "\(prefix)_PORT_8080_TCP": "tcp://\(host):8080", "\(prefix)_PORT_8080_TCP_PROTO": "tcp",
            "\(prefix)_PORT_8080_TCP_PORT": "8080", "\(prefix)_PORT_8080_TCP_ADDR": address,
            "\(prefix)_PORT_53_UDP": "udp://\(host):53", "\(prefix)_PORT_53_UDP_PROTO": "udp",
            "\(prefix)_PORT_53_UDP_PORT": "53", "\(prefix)_PORT_53_UDP_ADDR": address,
        ]
    }

    @Test(
        "N18: what Kubernetes injects for a Service is ignored without a warning",
        arguments: ["IMAGETOOL", "IMAGETOOL_THUMBS", "IMAGETOOL_SERVICE", "IMAGETOOL_PORT", "IMAGETOOL_CACHE"],
        ["10.0.0.1", "fd00::1"])
    func whatKubernetesInjectsIsIgnored(_ prefix: String, _ address: String) throws {
        let resolved = try ResolvedConfiguration(environment: Self.injected(prefix, address), json: nil)

        #expect(resolved.warnings == [])
        #expect(resolved.entries.allSatisfy { $0.origin == .standard })
    }

    @Test("N18: a key whose variable Kubernetes injects for a Service keeps its other value, with a warning")
    func anInjectedValueIsNoValueOfAKey() throws {
        var environment = Self.injected("IMAGETOOL_SERVER")
        let json = Array(#"{"server.port": 81}"#.utf8)
        let resolved = try ResolvedConfiguration(environment: environment, json: json)

        #expect(resolved.service.server.port == 81)
        #expect(
            resolved.warnings == ["variables that Kubernetes injects for a Service are ignored: IMAGETOOL_SERVER_PORT"])

        // A pod that sets the variable itself overrides what is injected.
        environment["IMAGETOOL_SERVER_PORT"] = "82"
        let set = try ResolvedConfiguration(environment: environment, json: json)
        #expect(set.service.server.port == 82)
        #expect(set.warnings == [])
    }

    @Test("N18: unknown variables are one warning that names them")
    func unknownVariablesAreOneWarning() throws {
        let resolved = try ResolvedConfiguration(
            environment: [
                "IMAGETOOL_SERVER_PROT": "1", "IMAGETOOL_": "2", "HOME": "/", "imagetool_x": "", "XIMAGETOOL_A": "",
                "IMAGETOOL_SERVR_PORT": "8081", "IMAGETOOL_SERVER_PORT": "82", "IMAGETOOL_A_SERVICE_HOST": "a.example",
            ], json: nil)

        #expect(
            resolved.warnings == [
                "variables of the environment that are no keys are ignored: IMAGETOOL_, IMAGETOOL_A_SERVICE_HOST, "
                    + "IMAGETOOL_SERVER_PROT, IMAGETOOL_SERVR_PORT"
            ])
        #expect(resolved.service.server.port == 82)
    }

    @Test func noValueOfAKeyLooksInjected() throws {
        for (name, value) in ConfigurationKeyTests.samples {
            let key = try #require(ConfigurationKey.named(name))
            #expect(!EnvironmentVariables.isInjected(key.environmentName, value), "\(name)")
        }
    }

    @Test("N18: unknown keys in the file and in --set stay errors") func unknownKeysElsewhereAreErrors() {
        let json = Array(#"{"service.host": "10.0.0.1", "port": "tcp://10.0.0.1:8080"}"#.utf8)
        #expect(throws: ServiceError.self) { try ResolvedConfiguration(json: json) }
        var options = ConfigurationOptions()
        for assignment in ["service.host=10.0.0.1", "port=tcp://10.0.0.1:8080", "server.port_8080_tcp=1"] {
            #expect(throws: ServiceError.self) { try options.set(assignment: assignment) }
        }
    }
}
#endif
