import Foundation
import Testing

/// What a person at a terminal sees: a prompt, nothing of what is typed, and a terminal that works afterwards.
@Suite(.enabled(if: PythonTerminal.isUsable, "python3 is missing: apt-get install python3"))
struct TypedPasswordTests {
    @Test func aTypedPasswordIsNotShown() throws {
        let session = try PythonTerminal.session("type:Password", ["ntlm", "hash"])
        #expect(session.hidden && session.restored && session.exit == 0)
        #expect(session.output == "a4f49c406510bdcab6824ee7c30fd852\n")
        #expect(session.shown.hasPrefix("Password: ") && !session.shown.dropFirst(10).contains("Password"))
    }

    @Test(
        "A signal ends the command, and the terminal echoes again",
        arguments: ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]
    )
    func signals(name: String) throws {
        let session = try PythonTerminal.session("signal:\(name)", ["ntlm", "hash"])
        let numbers: [String: Int32] = ["SIGINT": -2, "SIGTERM": -15, "SIGHUP": -1, "SIGQUIT": -3]
        #expect(session.hidden && session.restored)
        #expect(session.exit == numbers[name])
        #expect(session.output.isEmpty)
    }

    @Test func aCommandThatGoesOnAsksAgain() throws {
        let challenge = NTLMExamples.base64(NTLMExamples.challenge)
        let options = ["--user", "User", "--domain", "Domain", "--challenge", challenge]
        let session = try PythonTerminal.session("again:Secret1", ["ntlm", "respond"] + options)
        #expect(session.hidden && session.restored && session.prompts == 2 && session.exit == 0)
        #expect(session.output.contains("nt_proof_str") && !session.shown.contains("Secret1"))
    }
}

/// A terminal of its own for the command, made by Python's standard library.
private enum PythonTerminal {
    struct Session: Decodable {
        let hidden: Bool
        let restored: Bool
        let prompts: Int
        let shown: String
        let exit: Int32
        let output: String
    }

    /// In continuous integration it must be there.
    static let isUsable: Bool = {
        ProcessInfo.processInfo.environment["CI"] == "true" || (try? run(["-c", "import pty"])) != nil
    }()

    static func session(_ action: String, _ arguments: [String]) throws -> Session {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Support/terminal.py").path
        let data = try run([script, action, SallyportRun.executable.path] + arguments)
        return try JSONDecoder().decode(Session.self, from: data)
    }

    private struct Failure: Error { let status: Int32 }

    private static func run(_ arguments: [String]) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "terminal-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", unblocking] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            // The Swift runtime's own handler for SIGQUIT would print where the command was.
            ["OUTPUT": file.path, "SWIFT_BACKTRACE": "enable=no"]
        ) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return data
    }

    /// Foundation starts children with signals blocked, and whoever they start would inherit that.
    private static let unblocking = """
        import os, signal, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(sys.executable, [sys.executable] + sys.argv[1:])
        """
}
