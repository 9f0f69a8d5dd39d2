/// Answers questions about user names and passwords: a file, a helper program, a person at a terminal, an application.
///
/// A source may wait for a disk, a program or a person. It does its waiting on a thread of its own, and never on the thread of
/// the caller, which may be an event loop.
public protocol CredentialSource: Sendable {
    /// What the source says about one challenge.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; otherwise an error whose description names the place, the problem
    ///   and the remedy, and no secret.
    func reply(to question: CredentialQuestion) async throws -> CredentialReply

    /// Tells the source whether a party took a credential. Sources without a memory ignore it.
    ///
    /// - Parameters:
    ///   - outcome: what the party did.
    ///   - credential: as some source supplied it; each source acts on its own ones only.
    ///   - question: the question that was answered with it.
    func learn(
        _ outcome: CredentialOutcome,
        of credential: SuppliedCredential,
        for question: CredentialQuestion
    ) async throws
}

extension CredentialSource {
    /// Does nothing.
    public func learn(
        _ outcome: CredentialOutcome,
        of credential: SuppliedCredential,
        for question: CredentialQuestion
    ) async throws {}
}

/// What a party did with a credential.
public enum CredentialOutcome: Hashable, Sendable {
    /// The party accepted it.
    case accepted
    /// The party refused it.
    case refused
}
