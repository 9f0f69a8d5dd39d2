import Foundation
import TestSupport

/// A terminal of its own for the command, made by Python's standard library.
enum PythonTerminal {
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

    static func session(
        _ action: String,
        _ arguments: [String],
        environment: [String: String] = [:]
    ) throws -> Session {
        let script = HelperFile.path("terminal.py")
        let data = try run([script, action, SallyportRun.executable.path] + arguments, environment)
        return try JSONDecoder().decode(Session.self, from: data)
    }

    private struct Failure: Error { let status: Int32 }

    private static func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Data {
        let file = TemporaryFolder.place("terminal")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", unblocking] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(
            // The Swift runtime's own handler for SIGQUIT would print where the command was.
            ["OUTPUT": file.path, "SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
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

    /// Foundation starts children with signals blocked, and their own children would inherit that.
    private static let unblocking = """
        import os, signal, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.execv(sys.executable, [sys.executable] + sys.argv[1:])
        """
}
