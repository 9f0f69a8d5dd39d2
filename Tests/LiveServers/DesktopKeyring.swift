internal import Foundation
internal import TestSupport

/// A session of a desktop with a bus and a keyring of its own: Debian's gnome-keyring, unlocked.
package final class DesktopKeyring {
    private let process: HelperProcess
    private let folder: TemporaryFolder
    /// What a program of the session finds in its environment.
    package let environment: [String: String]

    /// Starts bus and keyring, and waits until they answer.
    package init() throws {
        folder = try TemporaryFolder("keyring")
        process = try HelperProcess(server: "desktop-keyring", [folder.path("")])
        environment = [
            "DBUS_SESSION_BUS_ADDRESS": try process.readLine(), "XDG_RUNTIME_DIR": folder.path("run"),
        ]
    }

    /// Moves this process into the session. Only for the process of an exit test, because other threads read the environment.
    package func enter() {
        for (name, value) in environment { unsafe setenv(name, value, 1) }
    }

    /// Locks the keyring; a dialog would have to ask for its password.
    package func lock() throws { try tell("lock") }

    /// Lets the service answer no more, as one that hangs.
    package func stop() throws { try tell("stop") }

    /// Lets the service answer again.
    package func go() throws { try tell("go") }

    private func tell(_ command: String) throws {
        let answer = try process.ask(command)
        guard answer == "done" else { throw PeerFailure(what: "\(command): \(answer)") }
    }

    /// Runs `secret-tool`, libsecret's own program.
    ///
    /// - Returns: what it wrote to standard output, and its status.
    package func secretTool(_ arguments: [String], input: String = "") throws -> (output: String, status: Int32) {
        let tool = Process()
        tool.executableURL = URL(filePath: "/usr/bin/secret-tool")
        tool.arguments = arguments
        tool.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (sent, got) = (Pipe(), Pipe())
        (tool.standardInput, tool.standardOutput) = (sent, got)
        try tool.run()
        // A secret fits into a pipe.
        try sent.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try sent.fileHandleForWriting.close()
        let output = try got.fileHandleForReading.readToEnd() ?? Data()
        tool.waitUntilExit()
        return (String(decoding: output, as: UTF8.self), tool.terminationStatus)
    }
}
