internal import HTTPAuthentication
package import HTTPTypes

// An answer that goes out without a driver of its request. Most such requests meet no challenge, and a driver costs several times what the answer
// does.

extension ChallengeHandler {
    /// Whether each request needs a ``RequestAuthentication``: for events of its steps, or for a token that goes along.
    package var needsDrivers: Bool { observer != nil || placesTokens }

    /// The answer to a proxy that goes out before it asks, where it has just accepted one, or gets a token; `nil` where
    /// ``RequestAuthentication`` decides, because a rule may hold the answer up.
    ///
    /// When a party asks, or the connection is lost, ``RequestAuthentication/beginSent(carrying:)`` takes it over.
    ///
    /// - Parameters:
    ///   - proxy: any request to the proxy.
    ///   - target: as the proxy gets it.
    package func answerInAdvance(to proxy: ChallengedRequest, method: String, target: String) -> AdvanceAnswer? {
        guard case nil = observer, let known = knownParty(of: proxy) else { return nil }
        if let token = known.token { return token.tokenAlone(at: proxy.requestPath) }
        // Without a description of the request, which costs a tenth of an answer of Digest.
        let path = ChallengedRequest.withheldPath(atProxy: target)
        return answer(of: known, at: proxy, path, method: method, target: target, .none)
    }

    /// The same for the origin of a request that takes no proxy, if its answer is repeated, so that the request needs no description.
    ///
    /// - Parameter party: any request to the origin.
    package func answerRepeated(to party: OutgoingRequest, target: String) -> AdvanceAnswer? {
        // Of another form the path would have to be looked for, and the party would be another one.
        let bytes = target.utf8.span
        guard !needsDrivers, !bytes.isEmpty, bytes[0] == UInt8(ascii: "/"),
            let known = knownParty(of: party.direct), known.space.repeatsAnswer
        else { return nil }
        if let token = known.token { return token.tokenAlone(at: RequestPath(beforeQueryOf: target)) }
        let path = RequestPath(beforeQueryOf: target)
        return answer(of: known, at: party.direct, path, method: "", target: target, .none)
    }

    /// The same for the origin of a request that takes no proxy.
    package func answerInAdvance(to request: OutgoingRequest) -> AdvanceAnswer? {
        guard !needsDrivers else { return nil }
        let request = request.direct
        guard let known = knownParty(of: request) else { return nil }
        if let token = known.token { return token.tokenAlone(at: request.requestPath) }
        let (method, target) = (request.method, request.target)
        return answer(of: known, at: request, request.requestPath, method: method, target: target, request.body)
    }

    /// Whether a request may go out as it is on a connection that a scheme has authenticated: where its origin, whose paths have one account,
    /// has accepted no answer that goes out in advance.
    package func sendsNothing(to request: OutgoingRequest) -> Bool {
        !needsDrivers && knownParty(of: request.direct) == nil
    }

    /// - Parameters:
    ///   - party: any request to the party.
    ///   - method: for Digest, as `target` and `body` are.
    private func answer(
        of known: KnownParty,
        at party: ChallengedRequest,
        _ path: RequestPath,
        method: String,
        target: String,
        _ body: ExchangeBody
    ) -> AdvanceAnswer? {
        let space = known.space
        guard known.prepared.isCounted, !space.repeatsAnswer || space.covers(path),
            let attempt = attemptWhileProven(known, at: party, path: path)
        else { return nil }
        return space.answerWhileProven(method: method, target: target, body, attempt)
    }
}

extension AdvanceAnswer {
    /// The send that carries the answer.
    package var sending: RequestSending {
        RequestSending(
            added: alone,
            body: .whole,
            connection: .any,
            holdsBody: false,
            expectsContinue: false
        )
    }

    /// Takes a final response whose status is not that of a challenge. Returns whether the party has accepted the answer with it. If not, the
    /// caller hands the answer and the response to ``RequestAuthentication``.
    ///
    /// - Parameters:
    ///   - fields: as in ``FlowResponse``. Read only if the scheme proves the party.
    ///   - isPassedOn: whether the party is a proxy that passes the request on, so that the response may be the origin's.
    package func isAccepted(status: Int, fields: @autoclosure () -> HTTPFields, isPassedOn: Bool) -> Bool {
        if digest != nil {
            guard case .done = space.received(status: status, fields: fields(), to: digest) else { return false }
        }
        settle(AttemptResult(status: status, from: space.party, isPassedOn: isPassedOn))
        return true
    }
}
