internal import Foundation

/// A program that a test talks with: its standard input and output are one connection.
///
/// It is expected to end when its input does, and is told to when it does not.
package final class HelperProcess {
    private let process = Process()
    private let stream: ByteStream
    /// How it ended; `nil` while it runs.
    package var status: Int32? { process.isRunning ? nil : process.terminationStatus }

    package init(_ command: [String], environment: [String: String] = [:]) throws {
        let (ours, theirs) = try ByteStream.pair()
        stream = ByteStream(owning: ours)
        let end = FileHandle(fileDescriptor: theirs, closeOnDealloc: true)
        process.executableURL = URL(filePath: "/usr/bin/env")
        #if os(Linux)
            // A thread that blocks signals hands that on to its children, and then nothing ends on SIGTERM.
            let options = ["--default-signal=TERM"]
        #else
            let options: [String] = []
        #endif
        // A Bash whose input is a socket takes itself for one that sshd started, and reads ~/.bashrc, unless it is inside another one.
        process.arguments = options + ["SHLVL=1"] + environment.map { "\($0)=\($1)" } + command
        process.standardInput = end
        process.standardOutput = end
        try process.run()
        // Only the child holds its end now, so that we see when it is gone.
        try end.close()
    }

    deinit {
        stream.finish()
        // Waits for the end, asks for it after two seconds, and takes it after a minute: another test may need what this one holds,
        // and a test may expect that a server is gone.
        for attempt in 0..<3_000 where process.isRunning {
            if attempt == 100 { process.terminate() }
            usleep(20_000)
        }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    package func send(_ line: String) throws { try stream.send(Array((line + "\n").utf8)) }

    package func readLine() throws -> String { try stream.readLine() }

    /// Sends a line and waits for the one that answers it.
    package func ask(_ line: String) throws -> String {
        try send(line)
        return try readLine()
    }

    /// The raw connection, for programs that pass on bytes.
    package var bytes: ByteStream { stream }
}

/// Where the scripts of the tests are.
package enum Script {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// A script of `Tests/Servers`.
    package static func server(_ name: String) -> String { path("Servers/\(name)") }

    /// A script of InteroperationTests.
    package static func interoperation(_ name: String) -> String { path("Handling/InteroperationTests/\(name)") }

    private static func path(_ name: String) -> String { tests.appending(path: name).path(percentEncoded: false) }
}
