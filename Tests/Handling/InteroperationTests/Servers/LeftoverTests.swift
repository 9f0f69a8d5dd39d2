import Foundation
import LiveServers
import TestSupport
import Testing

/// What tests and their servers leave behind, and what they say when they do not start.
@Suite(.inTurn) struct LeftoverTests {
    private func waitUntilGone(_ path: String) async throws {
        try await eventually("\(path) is gone") { !FileManager.default.fileExists(atPath: path) }
    }

    @Test("The folder of a process that is killed is removed, with a program that it has started") func killed()
        async throws
    {
        let folder = try TemporaryFolder("killed")
        let note = folder.path("note")
        await #expect(processExitsWith: .signal(SIGKILL)) { [note = note as String] in
            let own = try TemporaryFolder("own")
            try own.write("SECRET", "key")
            let sleeper = Process()
            sleeper.executableURL = URL(filePath: "/bin/sleep")
            sleeper.arguments = ["1800"]
            try sleeper.run()
            Watcher.end(sleeper)
            try Data("\(own.url.path)\n\(sleeper.processIdentifier)".utf8).write(to: URL(filePath: note))
            kill(getpid(), SIGKILL)
        }
        let lines = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").map(String.init)
        try #require(lines.count == 2)
        try await waitUntilGone(URL(filePath: lines[0]).deletingLastPathComponent().path)
        try await waitUntilGone("/proc/\(lines[1])")
    }

    @Test("Processes never take the same port") func ports() async throws {
        let folder = try TemporaryFolder("ports")
        let note = folder.path("note")
        let ours = Set(try (0..<150).map { _ in try ServerPort.take() })
        await #expect(processExitsWith: .success) { [note = note as String] in
            let theirs = try (0..<150).map { _ in "\(try ServerPort.take())" }
            try Data(theirs.joined(separator: "\n").utf8).write(to: URL(filePath: note))
        }
        let theirs = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").compactMap { UInt16($0) }
        #expect(ours.count == 150 && Set(theirs).count == 150)
        #expect(ours.isDisjoint(with: theirs))
    }

    @Test(
        "A server whose port is taken says so in the error, and does not take the other one for itself",
        .needs(.nginx, .squid, .python, .openssl, .haproxy, .microsocks)
    )
    func takenPort() throws {
        let port = try ServerPort.take()
        let holder = try HelperProcess(server: "socks", ["\(port)", "open"])
        defer { withExtendedLifetime(holder) {} }
        for (script, arguments, reason) in [
            ("nginx-guarded", ["\(port)", "jdoe:SECRET,ada:SECRET"], "Address already in use"),
            ("squid-open", ["\(port)", "on"], "FATAL: Unable to open HTTP Socket"),
            ("socks", ["\(port)", "open"], "address already in use"),
            ("haproxy-pair", ["\(port)", "1", "2"], "failed to start their listeners"),
            // The port of the origin server behind it.
            ("squid-digest", ["\(try ServerPort.take())", "\(port)", "10", "jdoe:SECRET"], "Address already in use"),
        ] {
            let error = #expect(throws: PeerFailure.self) { try HelperProcess(server: script, arguments) }
            #expect(error?.what.hasPrefix("\(script) did not start: ") == true)
            #expect(error?.what.contains(reason) == true, "\(error?.what ?? "")")
        }
        let error = #expect(throws: PeerFailure.self) {
            try HelperProcess(silent: ["microsocks", "-i", "127.0.0.1", "-p", "\(port)"], port: Int(port))
        }
        #expect(error?.what.hasPrefix("microsocks did not start: ") == true)
        #expect(error?.what.contains("Address already in use") == true, "\(error?.what ?? "")")
    }
}
