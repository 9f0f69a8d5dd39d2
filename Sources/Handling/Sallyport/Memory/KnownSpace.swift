internal import HTTPAuthentication
internal import HTTPTypes
internal import Synchronization

/// What one party accepted from one password: how the next request is answered before it is challenged.
final class KnownSpace: Sendable {
    private struct Paths {
        /// Basic covers the paths below these (RFC 7617 section 2.2); a proxy's space is everything.
        var prefixes: [String] = []
        let value: AuthorizationValue
        let field: HTTPField
        let scheme: AuthenticationScheme

        func cover(_ path: String) -> Bool { prefixes.contains { path.hasBytePrefix($0) } }
    }

    /// One of the two.
    private struct Answers: ~Copyable {
        var repeated: Paths?
        var digest: DigestSession?
    }

    /// The most path prefixes of a party; beyond it further paths wait for a challenge.
    static let maximumPrefixes = 64

    let party: ChallengedParty
    private let answers: Mutex<Answers>

    /// A scheme that repeats its answer, such as Basic, accepted with `value` at `path`.
    init(
        repeating value: AuthorizationValue,
        of scheme: AuthenticationScheme,
        at path: RequestPath,
        party: ChallengedParty
    ) {
        self.party = party
        let field = value.field(named: party.answerField)
        let paths = Paths(prefixes: [path.directory], value: value, field: field, scheme: scheme)
        answers = Mutex(Answers(repeated: paths, digest: nil))
    }

    /// Digest, with the session of an accepted exchange.
    init(digest session: consuming DigestSession) {
        party = session.party
        answers = Mutex(Answers(repeated: nil, digest: session))
    }

    /// What the response to an answer in advance means.
    enum Step {
        /// The party does not challenge.
        case done
        /// The nonce was stale: answer again.
        case answerAgain
        /// The party offers other schemes than before.
        case asksAnew
        /// The party refused the answer.
        case refused
        case fail(ExchangeFailure)
    }

    /// Whether the space contains the target of `request`.
    func covers(_ request: ChallengedRequest) -> Bool {
        answers.withLock { answers in
            answers.repeated?.cover(request.path) ?? (answers.digest?.covers(target: request.target) == true)
        }
    }

    /// The answer for a request that the space covers; `nil` if it needs a challenge.
    ///
    /// - Parameter stale: the answer that the request carried before, if its nonce was stale.
    func answer(
        _ request: ChallengedRequest,
        _ attempt: consuming PasswordBudget.Attempt,
        after stale: DigestAnswer? = nil
    ) -> AdvanceAnswer? {
        let (field, digest) = answers.withLock { answers in Self.answer(request, after: stale, from: &answers) }
        guard let field else { return nil }
        return AdvanceAnswer(self, field, digest, attempt)
    }

    private static func answer(
        _ request: ChallengedRequest,
        after stale: DigestAnswer?,
        from answers: inout Answers
    ) -> (HTTPField?, DigestAnswer?) {
        if let repeated = answers.repeated { return (repeated.field, nil) }
        let answer = try? answers.digest?.answer(
            method: request.method,
            target: request.target,
            body: request.body,
            after: stale
        )
        return (answer?.value.field(named: request.party.answerField), answer)
    }

    /// Takes the response to a request that carried `answer`.
    func received(status: Int, fields: HTTPFields, to answer: AdvanceAnswer) -> Step {
        // Most responses are no challenge, and say nothing about the space of Basic.
        guard let digest = answer.digest else { return status == party.status ? judge(fields) : .done }
        let step = answers.withLock { $0.digest?.received(status: status, fields: fields, to: digest) }
        switch step {
        case .done: return .done
        case .answerAgain: return .answerAgain
        case .fail(let failure): return .fail(failure)
        case .challenged, nil:
            let offer = OfferedChallenges(by: party, in: fields)
            return offer.includes(.digest) && !offer.isStale ? .refused : .asksAnew
        }
    }

    private func judge(_ fields: HTTPFields) -> Step {
        let scheme = answers.withLock { $0.repeated?.scheme } ?? .basic
        return OfferedChallenges(by: party, in: fields).includes(scheme) ? .refused : .asksAnew
    }

    /// The value that a scheme such as Basic repeats; `nil` for Digest.
    var basicValue: AuthorizationValue? { answers.withLock { $0.repeated?.value } }

    /// Records that a repeated answer was accepted at another path. Returns whether the space holds this value.
    func extend(basic value: AuthorizationValue, at path: RequestPath) -> Bool {
        answers.withLock { answers in
            guard answers.repeated?.value == value else { return false }
            if answers.repeated?.cover(path.text) == false,
                (answers.repeated?.prefixes.count ?? 0) < Self.maximumPrefixes
            {
                answers.repeated?.prefixes.append(path.directory)
            }
            return true
        }
    }
}

extension OfferedChallenges {
    /// Whether a Digest challenge says that the nonce was old, and so nothing of the password.
    fileprivate var isStale: Bool {
        challenges(of: .digest).contains { $0["stale"]?.lowercased() == "true" }
    }
}
