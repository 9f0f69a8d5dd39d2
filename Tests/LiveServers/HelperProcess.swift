internal import Foundation
internal import TestLimits
internal import TestSupport

/// A program that a test talks with: its standard input and output are one connection.
///
/// It is expected to end when its input does, and is told to when it does not.
package final class HelperProcess {
    private let process = Process()
    private let stream: ByteStream
    /// What it writes to standard error. The file has no name any more, so that nothing is left behind.
    private let errors: FileHandle
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
        let file = TemporaryFolder.place("errors")
        guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
            throw PeerFailure(what: "no file \(file.path)")
        }
        defer { try? FileManager.default.removeItem(at: file) }
        errors = try FileHandle(forReadingFrom: file)
        let writing = try FileHandle(forWritingTo: file)
        process.standardError = writing
        try process.run()
        // Only the child holds its end now, so that we see when it is gone.
        try end.close()
        // A `Process` keeps its handles for as long as it is there, which is longer than this object.
        try writing.close()
    }

    /// Starts a script of `Tests/Servers`, and waits until its server answers.
    package convenience init(server: String, _ arguments: [String] = []) throws {
        try self.init([Script.server(server)] + arguments)
        try waitUntilReady(server)
    }

    /// Starts a server that does not read its standard input, and waits until it listens on its port; it ends with this process.
    package convenience init(silent command: [String], port: Int) throws {
        try self.init([Script.server("until-input-ends"), "\(port)"] + command)
        try waitUntilReady(command.first ?? "")
    }

    /// Waits for the line "ready".
    ///
    /// - Parameter name: the name of the program for the error. Arguments are left out, because some are passwords.
    private func waitUntilReady(_ name: String) throws {
        let line: String
        do { line = try readLine() } catch { throw PeerFailure(what: "\(name) did not start: \(error)") }
        guard line == "ready" else { throw PeerFailure(what: "\(name) said \(line.debugDescription)") }
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
        // The log of the tests has it, too.
        FileHandle.standardError.write(errorTail)
    }

    /// The most of standard error that is looked at, from its end.
    private static let mostErrors: UInt64 = 1 << 16

    private var errorTail: Data {
        guard let end = try? errors.seekToEnd() else { return Data() }
        try? errors.seek(toOffset: end - min(end, Self.mostErrors))
        return (try? errors.readToEnd()) ?? Data()
    }

    /// The last line of standard error that is not empty.
    private var lastError: String? {
        String(decoding: errorTail, as: UTF8.self).split(whereSeparator: \.isNewline).last {
            !$0.allSatisfy(\.isWhitespace)
        }
        .map(String.init)
    }

    package func send(_ line: String) throws { try stream.send(Array((line + "\n").utf8)) }

    /// Reads the next line. If the program has ended, the error shows its last line of standard error.
    package func readLine() throws -> String {
        do { return try stream.readLine() } catch {
            throw PeerFailure(what: "\(error)" + (lastError.map { ": \($0)" } ?? ""))
        }
    }

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

    private static func path(_ name: String) -> String { tests.appending(path: name).path(percentEncoded: false) }
}
