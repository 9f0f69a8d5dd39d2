internal import Waiting

/// Lets one question at a time be visible.
enum PromptTurns {
    private static let turns = Turns()

    /// Calls `body` when no other caller's is running.
    static func withTurn<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await turns.withTurn {
            TerminalQuestions.changed(isOpen: true)
            defer { TerminalQuestions.changed(isOpen: false) }
            return try await body()
        }
    }
}
