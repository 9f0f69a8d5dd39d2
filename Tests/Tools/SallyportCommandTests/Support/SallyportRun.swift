import Foundation
import TestSupport

/// One run of the built command, as a user runs it.
struct SallyportRun {
    let status: Int32
    let output: String
    let error: String

    static let executable = URL(filePath: BuiltProgram.sallyport)

    /// The environment of this process, without the options that its user keeps for the relay.
    static let environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": "/dev/null"]) { $1 }

    /// Runs the command to its end.
    ///
    /// - Parameters:
    ///   - arguments: those after the name of the command.
    ///   - input: its standard input; nothing more comes there.
    ///   - environment: variables beside those of this process.
    ///   - program: another program instead of the command.
    init(
        _ arguments: [String],
        input: some Sequence<UInt8> = [],
        environment: [String: String] = [:],
        program: URL = Self.executable
    ) throws {
        let temporary = try TemporaryFolder("run")
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.url
        // Files instead of pipes, because a full pipe would block the command.
        let files = (
            input: folder.appending(path: "in"), output: folder.appending(path: "out"),
            error: folder.appending(path: "err")
        )
        try Data(input).write(to: files.input)
        for file in [files.output, files.error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = Self.environment.merging(["TMPDIR": folder.path]) { $1 }.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files.input)
        process.standardOutput = try FileHandle(forWritingTo: files.output)
        process.standardError = try FileHandle(forWritingTo: files.error)
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        output = try String(contentsOf: files.output, encoding: .utf8)
        error = try String(contentsOf: files.error, encoding: .utf8)
    }

    /// Runs a shell's script in `folder`, for arguments that are not UTF-8, which Foundation cannot hand over.
    ///
    /// - Parameter script: for POSIX's `sh`; `$SALLYPORT` is the command, and `b NAME` writes a name of `printf`'s escapes.
    init(shell script: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "b() { printf \"$1\"; }\n\(script)"]
        process.currentDirectoryURL = folder
        process.environment = Self.environment.merging([
            "SALLYPORT": Self.executable.path, "LC_ALL": "C",
        ]) { $1 }
        let files = (out: folder.appending(path: ".out"), error: folder.appending(path: ".err"))
        for file in [files.out, files.error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files.out)
        process.standardError = try FileHandle(forWritingTo: files.error)
        try process.run()
        process.waitUntilExit()
        status = process.terminationStatus
        output = try String(contentsOf: files.out, encoding: .utf8)
        error = try String(contentsOf: files.error, encoding: .utf8)
        for file in [files.out, files.error] { try FileManager.default.removeItem(at: file) }
    }

    /// The output as one JSON object.
    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }
}
