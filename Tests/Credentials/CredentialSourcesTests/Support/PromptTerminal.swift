import Foundation
import TestSupport

/// A terminal of its own for a test program, made by Python's standard library.
enum PromptTerminal {
    struct Session: Decodable {
        /// Whether the terminal has the settings that it had before.
        let restored: Bool
        let shown: String
        let exit: Int32
        let output: String
    }

    /// In continuous integration it must be there.
    static let isUsable: Bool = {
        ProcessInfo.processInfo.environment["CI"] == "true"
            || (try? SourceSamples.output(["python3", "-c", "import pty"])) != nil
    }()

    /// Runs the test program's prompt; `steps` are those of `prompt_terminal.py`.
    static func session(_ steps: [String], _ arguments: [String] = []) throws -> Session {
        let script = HelperFile.path("prompt_terminal.py")
        let list = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        let output = try SourceSamples.output(
            ["python3", script, list, BuiltProgram.forTests, "prompt"] + arguments,
            // The Swift runtime's own handler for SIGQUIT would print where the program was.
            environment: ["SWIFT_BACKTRACE": "enable=no"]
        )
        return try JSONDecoder().decode(Session.self, from: Data(output.utf8))
    }
}
