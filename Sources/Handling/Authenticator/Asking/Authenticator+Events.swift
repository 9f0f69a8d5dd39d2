internal import ChallengeHandling
internal import CredentialSources
internal import HTTPAuthentication
internal import Hostnames

extension Authenticator {
    /// Runs a question, with an event before and after it. A question that throws has failed.
    func observed<Reply>(
        _ ask: @autoclosure () -> CredentialAsk,
        _ kind: (Reply) -> CredentialAsk.Reply,
        _ body: () async throws -> Reply
    ) async throws -> Reply {
        guard let observer else { return try await body() }
        let ask = ask()
        observer.emit(.asked(ask))
        do {
            let reply = try await body()
            observer.emit(.replied(ask, kind(reply)))
            return reply
        } catch {
            observer.emit(.replied(ask, .failed))
            throw error
        }
    }

    /// Asks the sources or the prompt.
    func observed(
        _ source: CredentialAsk.Source,
        _ question: CredentialQuestion,
        _ account: String?,
        _ body: () async throws -> CredentialReply
    ) async throws -> CredentialReply {
        try await observed(CredentialAsk(source, question, account), \.kind, body)
    }

    /// Looks into the store.
    func observed<Found>(
        _ source: CredentialAsk.Source,
        _ question: CredentialQuestion,
        _ account: String?,
        _ body: () async throws -> Found?
    ) async throws -> Found? {
        try await observed(CredentialAsk(source, question, account), { $0 == nil ? .nothing : .use }, body)
    }
}

extension CredentialAsk {
    fileprivate init(_ source: Source, _ question: CredentialQuestion, _ account: String?) {
        let party: ChallengedParty = question.party == .proxy ? .proxy : .origin
        self.init(source: source, origin: question.origin, party: party, account: account)
    }
}

extension CredentialReply {
    /// The kind of the reply, without what it says.
    fileprivate var kind: CredentialAsk.Reply {
        switch self {
        case .use: .use
        case .nothing: .nothing
        case .goOnWithout: .goOnWithout
        case .cancel: .cancel
        case .rejectSpace: .reject
        }
    }
}

extension ServerTrustReply {
    /// The kind of the reply.
    var kind: CredentialAsk.Reply {
        switch self {
        case .cancel: .cancel
        case .reject: .reject
        case .trust: .use
        }
    }
}
