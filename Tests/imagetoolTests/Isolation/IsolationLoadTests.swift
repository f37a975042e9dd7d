#if os(Linux)
import PlatformImageTestSupport
import Testing

/// `imagetool-bench isolation-load`, which runs in a process of its own, so that its descriptors and child processes
/// can be counted.
@Suite(.timeLimit(.minutes(10))) struct IsolationLoadTests {
    @Test func twoHundredKilledWorkersLeaveNoDescriptorsAndNoZombies() throws {
        let run = try ToolRun(
            bench: "isolation-load", "--seconds", "300", "--kills", "200", "--interval", "30",
            fixturePath("demo/window.png"), fixturePath("demo/mountains.jpg"), fixturePath("gif/disposal-1.gif"))

        #expect(run.exitCode == 0, "\(run.text)\(run.errors)")
        #expect(run.text.contains(" 200 kills, "), "\(run.text)")
        #expect(run.text.contains(", 0 zombies, 5 workers, 0 busy, 0 bytes"), "\(run.text)")
    }
}
#endif
