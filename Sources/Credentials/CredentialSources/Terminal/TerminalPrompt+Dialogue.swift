internal import Secrets
internal import Waiting

/// The terminal of one question whose answers are shown as they are typed.
package struct TerminalDialogue {
    fileprivate let terminal: Terminal

    /// Shows a text. The caller escapes what comes from elsewhere.
    package func show(_ text: String) throws { try terminal.show(text) }

    /// Asks for one line, and returns it without spaces at its ends; `nil` if the person cancels: by the end of the input, or by an
    /// interrupt that the application survives.
    package func line(_ prompt: String) throws -> String? {
        guard case .line(let line) = try terminal.line(prompt, echoes: true) else { return nil }
        return line.withBytes { bytes in
            let typed = bytes.indices.map { bytes[$0] }.drop { $0 == UInt8(ascii: " ") }
            return String(decoding: typed.reversed().drop { $0 == UInt8(ascii: " ") }.reversed(), as: UTF8.self)
        }
    }
}

extension TerminalPrompt {
    /// Asks at the terminal of this process (`/dev/tty`) what no password answers.
    ///
    /// - Parameters:
    ///   - timeLimit: how long the question may be visible.
    ///   - body: shows the question and reads its answer, on a thread of its own.
    /// - Returns: what `body` returns; `nil` if the process has no terminal.
    /// - Throws: ``TerminalError``, `CancellationError`, or what `body` throws.
    package static func dialogue<Reply: Sendable>(
        timeLimit: Duration,
        _ body: @escaping @Sendable (TerminalDialogue) throws -> Reply
    ) async throws -> Reply? {
        try await visibly(for: timeLimit) { terminal in
            try terminal.checkForeground()
            return try body(TerminalDialogue(terminal: terminal))
        }
    }

    /// Runs `body` when no other question is visible. A question that goes away without an answer says why. Returns `nil` without a terminal.
    static func visibly<Reply: Sendable>(
        for limit: Duration,
        _ body: @escaping @Sendable (Terminal) throws -> Reply
    ) async throws -> Reply? {
        let withdrawal = QuestionWithdrawal.current
        return try await PromptTurns.withTurn {
            try await OwnThread.run(waiting: limit) { interruption in
                guard let terminal = try Terminal(until: Deadline(after: limit), or: interruption) else { return nil }
                do { return try body(terminal) } catch {
                    if terminal.hasShown, let reason = reason(of: error, limit, withdrawal) {
                        terminal.showAtOnce("The question is withdrawn: \(reason).\n")
                    }
                    throw error
                }
            }
        }
    }

    /// The reason to show when the terminal withdraws a question without an answer; `nil` if there was an answer.
    private static func reason(of error: any Error, _ limit: Duration, _ withdrawal: QuestionWithdrawal?) -> String? {
        switch error {
        case is CancellationError: (withdrawal ?? QuestionWithdrawal()).reason
        case TerminalError.timedOut: "no answer came within \(limit.components.seconds) s"
        default: nil
        }
    }
}
