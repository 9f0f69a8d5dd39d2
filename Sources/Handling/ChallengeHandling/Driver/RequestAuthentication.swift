public import HTTPAuthentication
public import HTTPTypes
internal import Hostnames

/// Drives one request to its end: through a proxy that may challenge, to an origin that may challenge, in any order.
///
/// Ask it before the first send, hand it each response, and do what it says. It does no I/O. It cannot be copied, so that two
/// parts of a program cannot both answer one challenge.
///
/// ```swift
/// var authentication = handler.authentication(of: request, by: .direct)
/// var step = authentication.begin()
/// while true {
///     switch step {
///     case .send(let sending):
///         let response = try await send(request, sending)
///         step = authentication.received(status: response.status, fields: response.fields, on: response.connection)
///     case .wait(let turn):
///         try await turn.ready()
///         step = authentication.resume()
///     case .needs(let need): step = authentication.supplied(await fetch(need))
///     case .deliver(let outcome): return outcome
///     }
/// }
/// ```
public struct RequestAuthentication: ~Copyable, Sendable {
    private let outgoing: OutgoingRequest
    /// Whether only the proxy is answered: the request opens a tunnel, or it is that of a relay's client.
    let isProxyOnly: Bool
    /// Whether the request opens a tunnel.
    private let isConnect: Bool
    private let hasProxy: Bool
    /// The token that goes to the origin with each send, besides the answers.
    let placed: PlacedToken?
    var origin: PartyAuthentication
    var proxy: PartyAuthentication?
    var sends = 0
    private var hasRestarted = false
    private var lastBody = RequestSending.Body.empty
    var hasSentBody = false
    private var hasAnswered = false
    /// What goes on after a turn, or after what a scheme needs.
    private var pending: Pending?
    /// Reports events; `nil` without an observer.
    let trace: RequestTrace?

    private struct Received: Sendable {
        let status: Int
        let fields: HTTPFields
        let connection: ConnectionTraits
        let nonces: ExchangeNonces
    }

    private struct Sending: Sendable {
        let connection: RequestSending.Connection
        /// Whether no further message of the handshake is due.
        let isLast: Bool
    }

    private indirect enum Pending: Sendable {
        /// The response is to be judged again.
        case response(Received)
        /// The answer in advance of this party is to be made.
        case sending(Sending, ChallengedParty, AttemptTurn)
        /// This party's scheme needs something.
        case need(ChallengedParty, Received)
    }

    init(
        _ handler: ChallengeHandler,
        _ outgoing: OutgoingRequest,
        _ route: RequestRoute,
        answersInAdvance: Bool,
        isProxyOnly: Bool,
        placed: PlacedToken?
    ) {
        // A local constant: with a read of the property in `||`, Swift 6.3.1 destroys `origin` before its first value.
        let opensTunnel: Bool
        if case .connect = route { opensTunnel = true } else { opensTunnel = false }
        self.placed = placed
        self.outgoing = outgoing
        hasProxy = route != .direct
        isConnect = opensTunnel
        self.isProxyOnly = isProxyOnly || opensTunnel
        let atProxy = outgoing.toProxy(by: route)
        // If the origin is not answered, `origin` holds the proxy's request, so that no other one is made.
        let atOrigin = self.isProxyOnly ? atProxy ?? outgoing.direct : outgoing.toOrigin(by: route)
        origin = PartyAuthentication(handler, atOrigin, answersInAdvance: answersInAdvance)
        if let atProxy {
            proxy = PartyAuthentication(handler, atProxy, answersInAdvance: answersInAdvance)
        } else {
            proxy = nil
        }
        if let observer = handler.observer {
            trace = RequestTrace(observer, RequestStart(outgoing, route, isProxyOnly: isProxyOnly, handler))
        } else {
            trace = nil
        }
    }

    /// The first step: answers in advance where the space is known.
    public mutating func begin() -> RequestStep {
        if let trace { trace.begin() }
        return reported(send(Sending(connection: .any, isLast: true)))
    }

    /// The first step of a request that has gone out already: as it is, or with an answer from
    /// ``ChallengeHandler/answerInAdvance(to:)``.
    package mutating func beginSent(carrying answer: AdvanceAnswer? = nil) {
        if let trace { trace.begin() }
        if let answer {
            if answer.space.party == .proxy { proxy?.hasSent(answer) } else { origin.hasSent(answer) }
            hasAnswered = true
        }
        sends += 1
        lastBody = .whole
    }

    /// Goes on after a turn, with the connection of the last response if it goes on with that.
    public mutating func resume() -> RequestStep { resume(keepsConnection: true) }

    /// Goes on after a turn.
    ///
    /// - Parameter keepsConnection: whether the connection of the last response is still the caller's. If it was given back
    ///   while the request waited, a party with Digest is asked again: another connection may lead to another server, which does
    ///   not know the nonce.
    public mutating func resume(keepsConnection: Bool) -> RequestStep {
        let step: RequestStep
        switch pending.take() {
        case .response(let response) where !keepsConnection && asksAgain(after: response):
            step = send(Sending(connection: .any, isLast: true))
        case .response(let response): step = judge(response)
        case .sending(let sending, let party, let turn): step = send(sending, party, after: turn)
        case .need, nil: step = .deliver(outcome)
        }
        return reported(step)
    }

    /// Takes what ``RequestStep/needs(_:)`` asked for.
    public mutating func supplied(_ supply: SchemeSupply) -> RequestStep {
        guard case .need(let party, let response)? = pending.take() else { return reported(.deliver(outcome)) }
        let step = party == .proxy ? proxy?.supplied(supply) ?? .passed : origin.supplied(supply)
        return reported(self.step(after: step, by: party, response) ?? .deliver(outcome))
    }

    /// Takes the response to the last send.
    ///
    /// - Parameters:
    ///   - status: the status code. Do not pass interim responses other than 101.
    ///   - fields: the header fields.
    ///   - connection: what is known of the connection on which the response came.
    ///   - bodyWasSent: whether any of the body was sent; false if the response came instead of `100 Continue`.
    public mutating func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits = .http1,
        bodyWasSent: Bool = true
    ) -> RequestStep {
        if bodyWasSent, lastBody == .whole { hasSentBody = true }
        if let trace { reportResponse(status, fields, connection, to: trace) }
        return reported(judge(Received(status: status, fields: fields, connection: connection, nonces: .fresh)))
    }

    /// The same with recorded random numbers and time, for replays only.
    package mutating func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        bodyWasSent: Bool = true,
        nonces: ExchangeNonces
    ) -> RequestStep {
        if bodyWasSent, lastBody == .whole { hasSentBody = true }
        if let trace { reportResponse(status, fields, connection, to: trace) }
        return reported(judge(Received(status: status, fields: fields, connection: connection, nonces: nonces)))
    }

    /// The last answer to a challenge of `party`, with the account's name and whether it is bound to TLS; `nil` before the first
    /// one, and for an answer in advance.
    public func answer(for party: ChallengedParty) -> ChallengeAnswer? {
        guard party == .proxy else { return origin.answer }
        switch proxy {
        case .some(let proxy): return proxy.answer
        case nil: return nil
        }
    }

    /// Whether a handshake is under way that authenticates its connection, so that the caller must choose connections itself.
    package var isBindingConnection: Bool {
        if origin.isBindingConnection { return true }
        switch proxy {
        case .some(let proxy): return proxy.isBindingConnection
        case nil: return false
        }
    }

    /// Whether the response to the last send may tell whether a password is right.
    package var awaitsVerdict: Bool {
        if origin.awaitsVerdict { return true }
        switch proxy {
        case .some(let proxy): return proxy.awaitsVerdict
        case nil: return false
        }
    }

    /// The sender has ended the request before its body was whole, and no refusal came in the time that the host gave it.
    package mutating func brokenOff() {
        origin.brokenOff()
        proxy?.brokenOff()
    }

    /// The last send has not left.
    package mutating func wasNotSent() {
        origin.wasNotSent()
        proxy?.wasNotSent()
    }

    /// The end of a request whose connection is closed now, in place of the response to a message of a handshake; `nil` if no such message
    /// waits for one.
    package var closedInHandshake: RequestOutcome? {
        var proxyRefusal: Refusal?
        switch proxy {
        case .some(let proxy): proxyRefusal = proxy.closedInHandshake
        case nil: break
        }
        if let proxyRefusal { return .withheld(proxyRefusal, by: .proxy) }
        return origin.closedInHandshake.map { .withheld($0, by: .origin) }
    }

    private mutating func judge(_ response: Received) -> RequestStep {
        let (status, fields, connection) = (response.status, response.fields, response.connection)
        // Before the proxy's challenge is judged: it may need the password of the origin's attempt.
        if status == ChallengedParty.proxy.status, hasProxy { origin.wasNotSent() }
        let isSpent = isBodySpent
        if let step = proxy?.received(
            status: status,
            fields: fields,
            on: connection,
            nonces: response.nonces,
            isSpent: isSpent
        ) {
            if let next = self.step(after: step, by: .proxy, response) { return next }
            // Only the proxy sends a 407.
            if status == ChallengedParty.proxy.status { return .deliver(outcome) }
        }
        // The origin is the sender's matter, or not reached yet.
        if isProxyOnly { return .deliver(outcome) }
        let step = origin.received(
            status: status,
            fields: fields,
            on: connection,
            nonces: response.nonces,
            isSpent: isSpent
        )
        return self.step(after: step, by: .origin, response) ?? .deliver(outcome)
    }

    /// Whether the challenge that had to wait may be of another server than the next connection leads to. A Digest nonce that the other
    /// one does not know would be refused like a wrong password.
    private func asksAgain(after response: Received) -> Bool {
        guard sends + 1 < RequestLimits.sends, !isBodySpent else { return false }
        if response.status == ChallengedParty.origin.status {
            return origin.waitsForAttempt && OfferedChallenges(by: .origin, in: response.fields).includes(.digest)
        }
        switch proxy {
        case .some(let proxy):
            return proxy.waitsForAttempt && OfferedChallenges(by: .proxy, in: response.fields).includes(.digest)
        case nil: return false
        }
    }

    /// Whether the body has left and cannot be sent again.
    private var isBodySpent: Bool { outgoing.body.isOnce && hasSentBody }

    private var outcome: RequestOutcome { hasAnswered ? .accepted : .notChallenged }

    /// The step that follows from one party's; `nil` if that party has passed.
    private mutating func step(
        after step: PartyAuthentication.Step,
        by party: ChallengedParty,
        _ response: Received
    ) -> RequestStep? {
        switch step {
        case .passed: return nil
        case .wait(let turn):
            if isBodySpent { return withheldSpent(by: party) }
            pending = .response(response)
            return .wait(turn)
        case .needs(let need):
            pending = .need(party, response)
            return .needs(need)
        case .withhold(let refusal):
            let refusal = placed.map { told(refusal, by: party, response.fields, $0) } ?? refusal
            guard refusal.isLostHandshake, !hasRestarted, response.status == party.status else {
                return .deliver(.withheld(refusal, by: party))
            }
            if isBodySpent { return .deliver(.withheld(.bodySpent, by: party)) }
            // Once more from the start, on a connection that nothing has used.
            hasRestarted = true
            if party == .proxy { proxy?.restart() } else { origin.restart() }
            return send(Sending(connection: .new, isLast: true))
        case .answer(let wanted, let isLast):
            let obstacle: Refusal? =
                sends >= RequestLimits.sends ? .tooManySends : isBodySpent ? .bodySpent : nil
            if let obstacle {
                // The answer does not leave. Otherwise the password would count as one that got no response.
                if party == .proxy { proxy?.wasNotSent() } else { origin.wasNotSent() }
                return .deliver(.withheld(obstacle, by: party))
            }
            // A proxy that has authenticated the connection would ask again on another one.
            let isHeld = wanted == .any && party == .origin && proxy?.holdsConnection == true
            let closes = party.closesConnection(response.fields)
            return send(Sending(connection: closes ? .new : isHeld ? .same : wanted, isLast: isLast))
        }
    }

    /// Why the origin challenges a request that went out with a token besides: where no account could answer, it refuses the token.
    private func told(
        _ refusal: Refusal,
        by party: ChallengedParty,
        _ fields: HTTPFields,
        _ token: PlacedToken
    ) -> Refusal {
        guard party == .origin, refusal == .noCredential || refusal == .noSupportedScheme else { return refusal }
        let offered = OfferedChallenges(by: party, in: fields).schemes
        // Otherwise it may be a web tier before the party that reads the token.
        guard offered.allSatisfy({ $0.usesToken || !$0.isAnswerable }) else { return refusal }
        return .tokenRefused(account: token.account, after: [])
    }

    /// No answer can leave, so this request does not wait for another one's attempt.
    private mutating func withheldSpent(by party: ChallengedParty) -> RequestStep {
        if party == .proxy { proxy?.stopWaiting() } else { origin.stopWaiting() }
        return .deliver(.withheld(.bodySpent, by: party))
    }

    private mutating func send(
        _ sending: Sending,
        _ party: ChallengedParty? = nil,
        after turn: AttemptTurn? = nil
    ) -> RequestStep {
        if let next = proxy?.prepare(
            after: party == .proxy ? turn : nil,
            besides: origin.companion
        ) {
            pending = .sending(sending, .proxy, next)
            return .wait(next)
        }
        if !isProxyOnly,
            let next = origin.prepare(
                after: party == .origin ? turn : nil,
                besides: proxyCompanion
            )
        {
            pending = .sending(sending, .origin, next)
            return .wait(next)
        }
        sends += 1
        lastBody = sending.isLast ? .whole : .empty
        let holdsBody = sending.isLast && !isConnect && outgoing.body.isOnce
        if hasFieldForOrigin || hasFieldForProxy { hasAnswered = true }
        let step = RequestSending(
            added: takeFields(),
            body: lastBody,
            connection: sending.connection,
            holdsBody: holdsBody,
            expectsContinue: holdsBody
        )
        return .send(step)
    }
}

extension Refusal {
    /// Whether a handshake ended because its connection did.
    fileprivate var isLostHandshake: Bool {
        switch self {
        case .exchangeFailed(_, .connectionCloses), .exchangeFailed(_, .handshakeLost),
            .exchangeFailed(_, .connectionChanged), .exchangeFailed(_, .closedInHandshake):
            true
        case .schemesFailed(_, let failures): failures.contains { $0.reason.isLostHandshake }
        default: false
        }
    }
}
