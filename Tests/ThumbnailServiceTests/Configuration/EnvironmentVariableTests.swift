import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Environment variables that are not configuration keys never prevent a start.
@Suite struct EnvironmentVariableTests {
    /// The variables that Kubernetes 1.30 injects for a Service object with a named and an unnamed port; `prefix` is
    /// its name in uppercase, with `_` for `-`.
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
        .requirement("N18"),
        arguments: ["IMAGETOOL", "IMAGETOOL_THUMBS", "IMAGETOOL_SERVICE", "IMAGETOOL_PORT", "IMAGETOOL_CACHE"],
        ["10.0.0.1", "fd00::1"])
    func kubernetesServiceVariablesAreIgnoredWithoutWarning(_ prefix: String, _ address: String) throws {
        let resolved = try ResolvedConfiguration(environment: Self.injected(prefix, address), json: nil)

        #expect(resolved.warnings == [])
        #expect(resolved.entries.allSatisfy { $0.origin == .standard })
    }

    @Test(.requirement("N18")) func valueOfAKeyInjectedByKubernetesIsIgnoredWithAWarning() throws {
        var environment = Self.injected("IMAGETOOL_SERVER")
        let json = Array(#"{"server.port": 81}"#.utf8)
        let resolved = try ResolvedConfiguration(environment: environment, json: json)

        #expect(resolved.service.server.port == 81)
        #expect(
            resolved.warnings == [
                "ignored environment variables that Kubernetes injects for a Service: IMAGETOOL_SERVER_PORT"
            ])

        // A variable that the pod sets explicitly overrides the injected value.
        environment["IMAGETOOL_SERVER_PORT"] = "82"
        let set = try ResolvedConfiguration(environment: environment, json: json)
        #expect(set.service.server.port == 82)
        #expect(set.warnings == [])
    }

    @Test(.requirement("N18")) func unknownEnvironmentVariablesAreReportedInOneWarning() throws {
        let resolved = try ResolvedConfiguration(
            environment: [
                "IMAGETOOL_SERVER_PROT": "1", "IMAGETOOL_": "2", "HOME": "/", "imagetool_x": "", "XIMAGETOOL_A": "",
                "IMAGETOOL_SERVR_PORT": "8081", "IMAGETOOL_SERVER_PORT": "82", "IMAGETOOL_A_SERVICE_HOST": "a.example",
            ], json: nil)

        #expect(
            resolved.warnings == [
                "ignored unknown environment variables: IMAGETOOL_, IMAGETOOL_A_SERVICE_HOST, "
                    + "IMAGETOOL_SERVER_PROT, IMAGETOOL_SERVR_PORT"
            ])
        #expect(resolved.service.server.port == 82)
    }

    @Test(.requirement("N18")) func testValuesOfConfigurationKeysAreNotRecognizedAsInjectedByKubernetes() throws {
        for (name, value) in ConfigurationKeyTests.samples {
            let key = try #require(ConfigurationKey.named(name))
            #expect(!EnvironmentVariables.isInjected(key.environmentName, value), "\(name)")
        }
    }

    @Test(.requirement("N18")) func unknownKeyInAConfigurationFileOrOptionIsAnError() {
        let json = Array(#"{"service.host": "10.0.0.1", "port": "tcp://10.0.0.1:8080"}"#.utf8)
        #expect(throws: ServiceError.self) { try ResolvedConfiguration(json: json) }
        var options = ConfigurationOptions()
        for assignment in ["service.host=10.0.0.1", "port=tcp://10.0.0.1:8080", "server.port_8080_tcp=1"] {
            #expect(throws: ServiceError.self) { try options.set(assignment: assignment) }
        }
    }
}
