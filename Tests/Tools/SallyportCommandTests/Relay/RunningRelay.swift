import Foundation
import LiveServers
import TestSupport

/// A relay that runs as a process, as a user starts it.
final class RunningRelay {
    private let process = Process()
    private let folder: TemporaryFolder
    /// What it wrote to standard output until it served.
    let announcement: [String]

    /// - Parameters:
    ///   - arguments: those after the verb, without `--listen`.
    ///   - verb: `relay`, or another verb that serves until it is told to end.
    ///   - lines: how many lines it writes before it serves.
    ///   - listens: whether it is a proxy on a port of its own.
    ///   - descriptors: the most descriptors that the process may open; `nil` for those of the test.
    init(
        _ arguments: [String],
        verb: String = "relay",
        environment: [String: String] = [:],
        lines: Int = 3,
        listens: Bool = true,
        descriptors: Int? = nil
    ) throws {
        folder = try TemporaryFolder("relay")
        let errors = folder.url.appending(path: "errors")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        let (ours, theirs) = try ByteStream.pair()
        let (output, end) = (ByteStream(owning: ours), FileHandle(fileDescriptor: theirs, closeOnDealloc: true))
        process.executableURL = SallyportRun.executable
        process.arguments = [verb] + (listens ? ["--listen", "127.0.0.1:0"] : []) + arguments
        if let descriptors {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(descriptors) && exec \"$0\" \"$@\"", SallyportRun.executable.path]
                + (process.arguments ?? [])
        }
        process.environment = SallyportRun.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = end
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        Watcher.end(process)
        try end.close()
        do {
            announcement = try (0..<lines).map { _ in try output.readLine() }
        } catch {
            process.waitUntilExit()
            throw PeerFailure(what: try String(contentsOf: errors, encoding: .utf8))
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        Watcher.forget(process)
    }

    /// The port of the first address.
    var port: UInt16 {
        let parts = announcement[0].split(separator: "127.0.0.1:", omittingEmptySubsequences: false)
        return UInt16(parts[1].prefix { $0.isNumber }) ?? 0
    }

    /// Standard error.
    var log: String { get throws { try String(contentsOf: folder.url.appending(path: "errors"), encoding: .utf8) } }

    var processID: Int32 { process.processIdentifier }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits until the log has `text`.
    func waitForLog(_ text: String) throws {
        try blockUntil("\(text.debugDescription) in the log: \((try? log) ?? "")") { try log.contains(text) }
    }

    /// Waits for the end; returns the exit status.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// The status and the body of a response through the relay.
    func get(_ url: String, host: String = "a") throws -> (status: Int, body: String) {
        let stream = try ByteStream(port: port)
        try stream.send(Array("GET \(url) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
        let head = String(decoding: try stream.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        let lines = head.split(separator: "\r\n").map { $0.lowercased() }
        let length = lines.first { $0.hasPrefix("content-length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
        let body = String(decoding: try stream.read(count: length), as: UTF8.self)
        return (Int(head.split(separator: " ")[1]) ?? 0, body)
    }
}

/// What a scripted parent that wants Basic says.
enum BasicParent {
    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static let asks = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"

    /// Takes `user:password` in Base64.
    static func reply(to request: ScriptedServer.Request, right: String) -> ScriptedServer.Reply {
        request.field("Proxy-Authorization") == "Basic \(right)" ? .send(ok) : .send(asks)
    }
}
