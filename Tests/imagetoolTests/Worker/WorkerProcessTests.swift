import Foundation
import PlatformImageTestSupport
import Testing

/// The process of `imagetool worker`: streams, signals and decode processes.
@Suite(.timeLimit(.minutes(30))) struct WorkerProcessTests {
    private let info = "{\"id\":1,\"op\":\"info\",\"path\":\"\(fixturePath("png/rgba8.png"))\"}"

    @Test func requestIsAnsweredWhileStdinStaysOpen() throws {
        let worker = try WorkerDriver(["-j", "1"])
        for _ in 0..<3 {
            worker.send(info)
            #expect(try worker.next()?.status == "complete")
        }
        try worker.closeInput()
        #expect(try worker.next() == nil)
        #expect(worker.exitCode() == 0)
    }

    @Test func terminationSignalAnswersTheRequestsThatWereRead() throws {
        let worker = try WorkerDriver(["-j", "1", "--isolation", "off", "--ordered"])
        for _ in 0..<20 { worker.send(info) }
        // The first answer shows that the worker has received the line of the pipe.
        #expect(try worker.next()?.status == "complete")
        worker.send(signal: SIGTERM)
        var count = 1
        while let answer = try worker.next() {
            #expect(answer.status == "complete")
            count += 1
        }
        #expect(worker.exitCode() == 0)
        #expect((1...20).contains(count))
    }

    @Test func closedStdoutEndsTheProcessWith74() throws {
        let idle = try WorkerDriver(["-j", "1"])
        idle.send(info)
        #expect(try idle.next()?.status == "complete")
        try idle.closeOutput()
        #expect(idle.exitCode() == 74)

        let busy = try WorkerDriver(["-j", "1"])
        // The worker stops reading while nobody reads its answers, and a pipe holds few requests: writing them on this
        // thread would wait for ever.
        let writer = Thread { [info] in for _ in 0..<2_000 { busy.send(info) } }
        writer.start()
        #expect(try busy.next()?.status == "complete")
        try busy.closeOutput()
        #expect(busy.exitCode() == 74)
    }

    @Test func largeInputsAndResultsAreTransferredWhenTheCallerReadsLate() throws {
        let worker = try WorkerDriver(["-j", "2", "--ordered", "--max-bytes-in-flight", "1"])
        let writer = Thread { [largeBitmap] in
            for _ in 0..<20 { worker.send("{\"id\":1,\"op\":\"decode\",\"bytes\":\(largeBitmap.count)}", largeBitmap) }
            try? worker.closeInput()
        }
        writer.start()
        var bodies: Set<[UInt8]> = []
        for _ in 0..<20 {
            let answer = try worker.next()
            #expect(answer?.status == "complete" && answer?.body.count == 512 * 512 * 4)
            bodies.insert(answer?.body ?? [])
        }
        #expect(bodies.count == 1)
        #expect(try worker.next() == nil && worker.exitCode() == 0)
    }

    #if os(Linux)
    @Test func killedDecodeProcessFailsAtMostOneRequestAndTheNextOnesAreAnswered() throws {
        let worker = try WorkerDriver(["-j", "1"])
        worker.send(info)
        #expect(try worker.next()?.status == "complete")
        for round in 0..<6 {
            // One at a time: a request can be sent to each process that the kernel has not ended yet.
            let children = try Self.children(of: worker.processIdentifier)
            if !children.isEmpty { kill(children[round % children.count], SIGKILL) }
            worker.send(info)
            worker.send(info)
            let answers = [try worker.next(), try worker.next()].compactMap { $0 }
            #expect(answers.count == 2)
            #expect(answers.contains { $0.status == "complete" })
            #expect(answers.allSatisfy { $0.status == "complete" || $0.code == "crashed" })
        }
        try worker.closeInput()
        #expect(worker.exitCode() == 0)
    }

    private static func children(of process: Int32) throws -> [Int32] {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
        return tasks.flatMap { task in
            // A thread can end after the folder was listed.
            let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? ""
            return text.split(separator: " ").compactMap { Int32($0) }
        }
    }
    #endif

    @Test(arguments: [
        ["-j", "-1"], ["-j", "1025"], ["--max-in-flight", "0"], ["--max-bytes-in-flight", "0"], ["--root", ""],
        ["--allow-host", "a"], ["--isolation", "maybe"], ["--decoder", "/missing"],
    ])
    func wrongOptionExitsWith64(_ arguments: [String]) throws {
        #expect(try ToolRun(["worker"] + arguments).exitCode == 64)
    }

    @Test func stdinThatCannotBeReadExitsWith74() throws {
        let folder = try ToolRun(shell: "\"$TOOL\" worker --isolation off < /")
        #expect(folder.exitCode == 74 && folder.errors.hasPrefix("stdin: io: "), "\(folder.errors)")
    }

    @Test func lineThatTerminationInterruptsIsNotAnswered() throws {
        let worker = try WorkerDriver(["-j", "1", "--isolation", "off"])
        worker.send(info)
        #expect(try worker.next()?.status == "complete")
        worker.write(Array("{\"id\":2,\"op\":\"in".utf8))
        worker.send(signal: SIGTERM)
        #expect(try worker.next() == nil)
        #expect(worker.exitCode() == 0)
    }

    @Test func missingRootExitsWith66() throws {
        #expect(try ToolRun("worker", "--root", "/missing").exitCode == 66)
    }
}
