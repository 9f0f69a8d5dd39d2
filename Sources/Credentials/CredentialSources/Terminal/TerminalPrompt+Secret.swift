package import Secrets
internal import Waiting

extension TerminalPrompt {
    /// What became of a question for one secret.
    package enum SecretAnswer: Sendable {
        /// What the person typed; it may be empty.
        case secret(SharedSecret)
        /// The end of the input, or an interrupt that the application survived.
        case cancelled
        /// The process has no terminal.
        case noTerminal
    }

    /// Asks at the terminal of this process (`/dev/tty`) for one line that is not shown. Standard input stays untouched.
    ///
    /// - Parameters:
    ///   - prompt: the text before the answer; the caller escapes what comes from elsewhere.
    ///   - timeLimit: how long the question may be visible.
    /// - Throws: ``TerminalError``.
    package static func secret(
        _ prompt: String,
        timeLimit: Duration = .seconds(120)
    ) async throws -> SecretAnswer {
        try await PromptTurns.withTurn {
            try await OwnThread.run(waiting: timeLimit) { interruption in
                guard let terminal = try Terminal(until: Deadline(after: timeLimit), or: interruption) else {
                    return .noTerminal
                }
                return switch try terminal.line(prompt, echoes: false) {
                case .line(let line): .secret(line)
                case .cancelled: .cancelled
                }
            }
        }
    }
}
