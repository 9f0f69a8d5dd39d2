import Foundation
import LiveServers
import TestSupport

/// A `sallyport login` that waits for a user.
final class RunningLogin {
    private let process = Process()
    private let output: ByteStream
    private let errors: URL

    init(_ arguments: [String], _ folder: RequestFolder) throws {
        errors = URL(filePath: folder.path("errors-\(UUID())"))
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        let (ours, theirs) = try ByteStream.pair()
        output = ByteStream(owning: ours)
        let end = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.start, SallyportRun.executable.path, "login"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(folder.environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = end
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        Watcher.end(process)
        try end.close()
    }

    deinit {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        Watcher.forget(process)
    }

    /// The next line of standard output.
    func line() throws -> String {
        do { return try output.readLine() } catch { throw PeerFailure(what: "no line: \(try errorText)") }
    }

    var errorText: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }

    /// Foundation starts children with signals blocked, and a shell starts what runs in its background with SIGINT ignored.
    /// In a session of its own the command finds no terminal.
    private static let start = """
        import os, signal, sys
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.setsid()
            os.execv("/usr/bin/setpriv", ["setpriv", "--pdeathsig", "KILL"] + sys.argv[1:])
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, frame: os.kill(child, number))
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
        """

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end; returns the exit status.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
