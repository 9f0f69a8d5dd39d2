/// Asks sources in order, until one has something.
///
/// A reply other than ``CredentialReply/nothing`` ends the search, also a cancellation. An error ends it too: a file with wrong
/// permissions is reported, and not passed over in silence.
public struct SourceChain: CredentialSource {
    private let sources: [any CredentialSource]

    /// Makes a chain; the first source is asked first.
    public init(_ sources: [any CredentialSource]) { self.sources = sources }

    /// The reply of the first source that has something.
    public func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        for source in sources {
            try Task.checkCancellation()
            let reply = try await source.reply(to: question)
            if case .nothing = reply { continue }
            return reply
        }
        return .nothing
    }

    /// Tells every source; the first error is thrown after all have been told.
    public func learn(
        _ outcome: CredentialOutcome,
        of credential: SuppliedCredential,
        for question: CredentialQuestion
    ) async throws {
        var failure: (any Error)?
        for source in sources {
            do {
                try await source.learn(outcome, of: credential, for: question)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
