internal import HTTPAuthentication
internal import HTTPTypes

/// What one party accepted from one password: how the next request is answered before it is challenged.
final class KnownSpace: Sendable {
    /// The answer of a scheme that repeats it. A class, so that a request copies one reference.
    private final class Repeated: Sendable {
        let value: AuthorizationValue
        /// For a send with this answer alone.
        let added: AddedFields
        let scheme: AuthenticationScheme
        /// Whether the answer goes out although no challenge asked for it.
        let isUnasked: Bool
        /// Makes the proof of each send; `nil` for what is bound to no key.
        let bound: BoundToken?

        init(
            value: AuthorizationValue,
            party: ChallengedParty,
            scheme: AuthenticationScheme,
            isUnasked: Bool,
            bound: BoundToken?
        ) {
            self.value = value
            added = AddedFields(repeating: value, for: party)
            self.scheme = scheme
            self.isUnasked = isUnasked
            self.bound = bound
        }
    }

    /// What changes.
    private struct State: ~Copyable {
        /// Basic covers the paths below these (RFC 7617 section 2.2).
        var prefixes: [String] = []
        var digest: DigestSession?

        func cover(_ path: RequestPath) -> Bool { prefixes.contains { path.hasBytePrefix($0) } }
    }

    /// The most path prefixes of a party; beyond it further paths wait for a challenge.
    static let maximumPrefixes = 64

    let party: ChallengedParty
    /// `nil` for Digest. Outside the lock, because it does not change.
    private let repeated: Repeated?
    /// Whether the space is everything at its party: that of a token that goes out with every request, or of a proxy. Not for Digest.
    private let coversAll: Bool
    private let state: ThreadLock<State>

    /// A scheme that repeats its answer, such as Basic, accepted with `value` at `path`.
    init(
        repeating value: AuthorizationValue,
        of scheme: AuthenticationScheme,
        at path: RequestPath,
        party: ChallengedParty,
        bound: BoundToken? = nil
    ) {
        self.party = party
        repeated = Repeated(
            value: value,
            party: party,
            scheme: scheme,
            isUnasked: false,
            bound: bound
        )
        coversAll = party == .proxy
        state = ThreadLock(State(prefixes: [path.directory]))
    }

    /// A token that goes out with every request, before any challenge.
    init(
        first value: AuthorizationValue,
        of scheme: AuthenticationScheme,
        party: ChallengedParty,
        bound: BoundToken?
    ) {
        self.party = party
        repeated = Repeated(
            value: value,
            party: party,
            scheme: scheme,
            isUnasked: true,
            bound: bound
        )
        coversAll = true
        state = ThreadLock(State(prefixes: [""]))
    }

    /// Digest, with the session of an accepted exchange.
    init(digest session: consuming DigestSession) {
        party = session.party
        repeated = nil
        coversAll = false
        state = ThreadLock(State(digest: session))
    }

    /// Whether each answer is the same.
    var repeatsAnswer: Bool { repeated != nil }

    /// The scheme of the answers.
    var scheme: AuthenticationScheme { repeated?.scheme ?? .digest }

    /// What the response to an answer in advance means.
    enum Step {
        /// The party does not challenge.
        case done
        /// The nonce was stale: answer again.
        case answerAgain
        /// The nonce was stale again: ask without an answer.
        case staleAgain
        /// The party offers other schemes than before.
        case asksAnew
        /// The party asks with another nonce or for another realm, and may have refused the password or lost the nonce.
        case unjudged
        /// The party refused the answer.
        case refused
        case fail(ExchangeFailure)
    }

    /// Whether the space contains the target of `request`.
    func covers(_ request: ChallengedRequest) -> Bool {
        guard case .some = repeated else {
            return state.withLock { $0.digest?.covers(target: request.target) == true }
        }
        return covers(request.requestPath)
    }

    /// The same by the path at an origin. `false` for Digest, which covers targets.
    func covers(_ path: RequestPath) -> Bool {
        guard case .some = repeated else { return false }
        return coversAll || state.withLock { $0.cover(path) }
    }

    /// How the next answer may go out in advance.
    enum Advance {
        /// In turn with other attempts, because a challenge in return tells whether the password was refused.
        case always
        /// Only while the password has just been accepted, because a challenge in return tells nothing.
        case whileProven
        /// Not at all, because the nonces of the party do not outlive a request.
        case never
    }

    /// How the next answer may go out in advance.
    var advance: Advance {
        if repeated != nil { return .always }
        return state.withLock { state in
            switch state.digest {
            case .some(let digest):
                return digest.lostNonces < DigestLimits.lostNonces ? .whileProven : .never
            case nil: return .never
            }
        }
    }

    /// Takes over from the space that was known before how many nonces the party has lost.
    func follow(_ earlier: KnownSpace) {
        guard let count = earlier.state.withLock({ $0.digest?.lostNonces }) else { return }
        state.withLock { $0.digest?.follow(lostNonces: count) }
    }

    /// The answer for a request that the space covers; `nil` if it needs a challenge.
    ///
    /// - Parameter stale: the answer that the request carried before, if its nonce was stale.
    func answer(
        _ request: ChallengedRequest,
        _ attempt: consuming PasswordBudget.Attempt,
        after stale: DigestAnswer? = nil
    ) -> AdvanceAnswer? {
        if repeated != nil { return AdvanceAnswer(self, nil, attempt) }
        let digest = state.withLock { state in
            try? state.digest?.answer(method: request.method, target: request.target, body: request.body, after: stale)
        }
        guard let digest else { return nil }
        return AdvanceAnswer(self, digest, attempt)
    }

    /// The answer of a scheme that repeats it, or that of Digest if the space covers `target`; otherwise `nil`, and the attempt ends as unsent.
    ///
    /// One lock, because most requests to a party with Digest come here.
    func answerWhileProven(
        method: String,
        target: String,
        _ body: ExchangeBody,
        _ attempt: consuming PasswordBudget.Attempt
    ) -> AdvanceAnswer? {
        if repeated != nil { return AdvanceAnswer(self, nil, attempt) }
        let digest = state.withLock { state -> DigestAnswer? in
            guard let lost = state.digest?.lostNonces, lost < DigestLimits.lostNonces,
                state.digest?.covers(target: target) == true
            else { return nil }
            return try? state.digest?.answer(method: method, target: target, body: body)
        }
        guard let digest else { return nil }
        return AdvanceAnswer(self, digest, attempt)
    }

    /// The token for a request with this path; `nil` if the space does not cover it, or if each send needs a proof of its own.
    func tokenAlone(at path: @autoclosure () -> RequestPath) -> AdvanceAnswer? {
        guard case nil = bound else { return nil }
        // The path is not looked for where it decides nothing.
        guard coversAll || covers(path()) else { return nil }
        return AdvanceAnswer(token: self)
    }

    /// Takes the response to a request that carried an answer of the space.
    ///
    /// - Parameter digest: the answer, if it was one of Digest.
    func received(status: Int, fields: HTTPFields, to digest: DigestAnswer?) -> Step {
        // Most responses are not challenges, and do not show the space of Basic.
        guard let digest else { return status == party.status ? judge(fields) : .done }
        let step = state.withLock { $0.digest?.received(status: status, fields: fields, to: digest) }
        switch step {
        case .done: return .done
        case .answerAgain: return .answerAgain
        case .fail(let failure): return .fail(failure)
        case .otherRealm, .otherNonce: return .unjudged
        case .challenged, nil:
            let offer = OfferedChallenges(by: party, in: fields)
            if offer.isStale { return .staleAgain }
            return offer.includes(.digest) || offer.isEmpty ? .refused : .asksAnew
        }
    }

    private func judge(_ fields: HTTPFields) -> Step {
        // A party that sends no challenge has refused what it did not ask for: otherwise the token would go out again and again.
        if repeated?.isUnasked == true { return .refused }
        let offer = OfferedChallenges(by: party, in: fields)
        return offer.includes(repeated?.scheme ?? .basic) || offer.isEmpty ? .refused : .asksAnew
    }

    /// The field that a scheme such as Basic repeats; `nil` for Digest.
    var repeatedField: HTTPField? { repeated?.added.field(for: party) }

    /// All that a send adds if ``repeatedField`` is its only field; `nil` for Digest.
    var repeatedAlone: AddedFields? { repeated?.added }

    /// Makes the proof that goes with each answer; `nil` for what is bound to no key.
    var bound: BoundToken? { repeated?.bound }

    /// The value that a scheme such as Basic repeats; `nil` for Digest.
    var basicValue: AuthorizationValue? { repeated?.value }

    /// Records that a repeated answer was accepted at another path. Returns whether the space holds this value.
    func extend(basic value: AuthorizationValue, at path: RequestPath) -> Bool {
        guard repeated?.value == value else { return false }
        state.withLock { state in
            if !state.cover(path), state.prefixes.count < Self.maximumPrefixes {
                state.prefixes.append(path.directory)
            }
        }
        return true
    }
}

extension OfferedChallenges {
    /// Whether the party asks for nothing: it refuses what it got.
    fileprivate var isEmpty: Bool { count == 0 && unreadable.isEmpty }

    /// Whether a Digest challenge says that the nonce was old, and therefore does not judge the password.
    fileprivate var isStale: Bool {
        challenges(of: .digest).contains { $0["stale"]?.lowercased() == "true" }
    }
}
