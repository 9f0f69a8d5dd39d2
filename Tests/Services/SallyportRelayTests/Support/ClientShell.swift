import Foundation
import LiveServers

/// A folder of its own, and the variables that the relay prints.
struct ClientShell {
    let folder: URL
    /// The relay as a proxy; `nil` without one.
    let proxy: String?
    let server: String

    /// Runs a script to its end; returns what it wrote.
    func run(_ script: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        process.arguments = ["900", "/bin/bash", "-c", script]
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
        for name in ["HOME", "TMPDIR"] { environment[name] = folder.path(percentEncoded: false) }
        for name in ["http_proxy", "https_proxy"] { environment[name] = proxy }
        environment["PROXY"] = proxy
        environment["SERVER"] = server
        environment["PIP_DEFAULT_TIMEOUT"] = "600"
        process.environment = environment
        let output = folder.appending(path: "output")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let handle = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: output, encoding: .utf8)
        guard process.terminationStatus == 0 else {
            throw PeerFailure(what: "status \(process.terminationStatus): \(text)")
        }
        return text
    }
}
