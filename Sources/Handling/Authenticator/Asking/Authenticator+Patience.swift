internal import Waiting

extension Authenticator {
    /// Waits for a source, or for a person, no longer than the options allow.
    func patiently<Value: Sendable>(
        for limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Deadline.abandon(after: limit ?? options.patience, orThrow: AuthenticatorError.noReply, body)
    }

    /// The same for what a person sees: one question at a time.
    func visibly<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await turns.withTurn { try await patiently(body) }
    }
}
