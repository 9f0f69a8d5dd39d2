package import ChallengeHandling
internal import HTTPAuthentication
package import HTTPTypes

/// The rules for one request, from before its first send to the response that is delivered: which response is the result, what is sent
/// again and where, and what a lost connection means.
///
/// A host moves the bytes. It begins, does what each ``FlowCommand`` says, and reports what came of it with one call. The flow has no
/// I/O, no clock and no lock, and it cannot be copied.
package struct RequestFlow: ~Copyable, Sendable {
    /// What the host waits for. Each case names what may follow.
    private enum State: Sendable {
        /// `begin()` or `beginSent()` comes next: due, sent, waiting, over.
        case new
        /// The host is to send this: sent, over.
        ///
        /// - Parameter isReused: as in the next case.
        case due(RequestSending, isReused: Bool)
        /// The request is sent, and its final response has not begun: due, dropping, waiting, over.
        ///
        /// - Parameter isReused: whether an earlier send of the request has used the connection.
        case sent(RequestSending, isReused: Bool)
        /// A refused response is read to its end before this send: due, waiting, over.
        case dropping(RequestSending)
        /// Another request tries the password: due, dropping, waiting, over.
        case waiting(Place)
        /// The result is known.
        case over
    }

    /// Where the request stands when it may be sent.
    private enum Place: Sendable {
        /// It has no connection.
        ///
        /// - Parameter needsNew: whether it begins on a connection that nothing has used.
        case nowhere(needsNew: Bool)
        /// A response has begun.
        ///
        /// - Parameter keepsConnection: whether its connection can carry the next send.
        case response(keepsConnection: Bool)
    }

    /// What is done once for a request, so that it ends at every server.
    private struct Uses: OptionSet {
        let rawValue: UInt8
        /// It began anew, because the connection of an earlier request was lost.
        static let lostConnection = Uses(rawValue: 1)
        /// It began anew, because a message of a handshake without the body was taken for the whole request.
        static let unseenBody = Uses(rawValue: 2)
        /// It began anew without `Expect`.
        static let expectation = Uses(rawValue: 4)
    }

    private let handler: ChallengeHandler
    private let request: OutgoingRequest
    private let route: RequestRoute
    private let facts: FlowFacts
    private var driver: RequestAuthentication
    private var state = State.new
    private var uses: Uses = []
    /// The challenge that is being answered.
    package private(set) var challenge: (status: Int, fields: HTTPFields)?

    package init(
        _ handler: ChallengeHandler,
        _ request: OutgoingRequest,
        by route: RequestRoute,
        _ facts: FlowFacts
    ) {
        (self.handler, self.request, self.route, self.facts) = (handler, request, route, facts)
        driver = Self.driver(handler, request, route, facts)
    }

    private static func driver(
        _ handler: ChallengeHandler,
        _ request: OutgoingRequest,
        _ route: RequestRoute,
        _ facts: FlowFacts
    ) -> RequestAuthentication {
        facts.answersOrigin
            ? handler.authentication(of: request, by: route, answersInAdvance: facts.answersInAdvance)
            : handler.proxyAuthentication(
                of: request,
                by: route,
                answersInAdvance: facts.answersInAdvance,
                placesToken: facts.placesToken
            )
    }

    deinit {
        guard isUnsent else { return }
        var driver = driver
        driver.wasNotSent()
    }

    /// Whether an answer may be made that has not left. It does not show whether its password is right.
    private var isUnsent: Bool {
        switch state {
        case .due, .dropping, .waiting: true
        case .new, .sent, .over: false
        }
    }

    /// Whether a handshake is under way that authenticates its connection, so that the host must choose connections itself.
    package var isBindingConnection: Bool { driver.isBindingConnection }

    /// Whether the response to the last send may tell whether a password is right.
    package var awaitsVerdict: Bool { driver.awaitsVerdict }

    /// Whether a scheme has authenticated, or tries to authenticate, the connection.
    package var bindsConnection: Bool { isBound(.origin) || isBound(.proxy) }

    private func isBound(_ party: ChallengedParty) -> Bool { driver.answer(for: party)?.sameConnection == true }

    // MARK: Events

    /// The request is to be sent.
    package mutating func begin() -> FlowCommand { follow(driver.begin(), from: .nowhere(needsNew: false)) }

    /// The request of the last ``FlowCommand/send(_:)`` begins to leave.
    package mutating func sendHasBegun() {
        if case .due(let sending, let isReused) = state { state = .sent(sending, isReused: isReused) }
    }

    /// The request has gone out before anybody needed a flow: as it is, or with an answer in advance.
    package mutating func beginSent(carrying answer: AdvanceAnswer? = nil) {
        driver.beginSent(carrying: answer)
        state = .sent(answer?.sending ?? .plain, isReused: false)
    }

    /// The head of the final response has come.
    package mutating func received(_ response: FlowResponse) -> FlowCommand {
        guard case .sent(let sent, _) = state else { return fail(.connectionLost) }
        var fields = response.fields
        let isTooLong = response.length ?? 0 > facts.mostDroppedBytes
        let isUnread =
            sent.body == .whole && FlowFacts.leavesBodyUnread(response.status, bodyBytes: facts.bodyBytes)
        let keepsConnection = response.keepsConnection && !isTooLong && !isUnread
        if ChallengedParty(challengingWith: response.status) != nil {
            // The driver reads the field; the other reasons it cannot know.
            if !keepsConnection { fields[.connection] = "close" }
            challenge = (response.status, fields)
        }
        let step = driver.received(
            status: response.status,
            fields: fields,
            on: response.connection,
            bodyWasSent: response.bodyIsSpent
        )
        if case .deliver(let outcome) = step {
            if isTooLong, case .withheld(.exchangeFailed(_, .connectionCloses), by: _) = outcome {
                return fail(.refusalTooLong(outcome))
            }
            if case .withheld(let refusal, let party) = outcome, outcome.isUnproven(status: response.status) {
                return fail(.notProven(refusal, by: party))
            }
            if sent.body == .empty, facts.bodyBytes > 0, (200..<300).contains(response.status) {
                // The party asks no more, at least on this connection, and has not seen the body: it gets all of it, as from curl.
                guard takes(.unseenBody) else { return fail(.bodyUnseen) }
                return beginAnew(from: .response(keepsConnection: keepsConnection))
            }
            // RFC 9110 section 10.1.1: some party on the way knows no expectation, and this one is our own.
            if response.status == 417, sent.expectsContinue, !facts.senderExpects, !response.bodyIsSpent,
                takes(.expectation)
            {
                return beginAnew(from: .nowhere(needsNew: true))
            }
        }
        return follow(step, from: .response(keepsConnection: keepsConnection))
    }

    /// A refused response was dropped.
    package mutating func dropped(_ end: DropEnd) -> FlowCommand {
        guard case .dropping(let next) = state else { return fail(.connectionLost) }
        switch end {
        case .reusable:
            // A server may close it after its challenge without saying so.
            state = .due(next, isReused: next.connection == .any && facts.repeatsAnswers)
            return .send(next)
        case .unusable, .tooLong: return sendElsewhere(next, after: end)
        }
    }

    /// The turn is ready.
    ///
    /// - Parameter keepsConnection: whether the connection of the last response is still the request's.
    package mutating func resumed(keepsConnection: Bool) -> FlowCommand {
        guard case .waiting(let place) = state else { return fail(.connectionLost) }
        let step = driver.resume(keepsConnection: keepsConnection)
        if case .response = place, !keepsConnection { return follow(step, from: .nowhere(needsNew: false)) }
        return follow(step, from: place)
    }

    /// The connection was lost before the head of the final response.
    package mutating func lost(_ loss: FlowLoss) -> FlowCommand {
        guard case .sent(let sent, let isReused) = state else {
            if isUnsent { driver.wasNotSent() }
            return fail(.connectionLost)
        }
        if case .headUnread(let status) = loss.progress, sent.body == .whole {
            // A challenge refuses the password, also one that was accepted before; anything else has taken it.
            _ = driver.received(status: status, fields: [:], on: .http1, bodyWasSent: loss.bodyIsSpent)
            return fail(.connectionLost)
        }
        if loss.progress == .brokenOff {
            driver.brokenOff()
            return fail(.connectionLost)
        }
        let mayBeIdle = loss.isReused || isReused
        if loss.progress == .nothingSent, mayBeIdle, sent.connection != .same {
            return send(sent, needsNew: true)
        }
        if sent.body == .empty { return handshakeLost() }
        // The party closed an idle connection at the moment of the request (RFC 9110 section 9.2.2). With a password that belongs to its
        // connection it has seen the connection in use.
        let mayBeRepeated = facts.mayBeRepeated || loss.progress == .bodyHeld
        guard mayBeIdle, mayBeRepeated, loss.progress != .answered, !loss.bodyIsSpent, sent.connection != .same,
            takes(.lostConnection)
        else {
            let end = driver.closedInHandshake
            if loss.progress == .nothingSent { driver.wasNotSent() }
            return fail(end.map { .handshakeLost($0) } ?? .connectionLost)
        }
        return beginAnew(from: .nowhere(needsNew: true))
    }

    // MARK: Rules

    private mutating func follow(_ step: RequestStep, from place: Place) -> FlowCommand {
        switch step {
        case .send(var next):
            if uses.contains(.expectation) { next.expectsContinue = false }
            switch place {
            case .nowhere(let needsNew): return send(next, needsNew: needsNew)
            case .response(keepsConnection: true) where next.connection != .new:
                state = .dropping(next)
                return .drop
            case .response: return sendElsewhere(next, after: .unusable)
            }
        case .wait(let turn):
            state = .waiting(place)
            return .wait(turn)
        case .needs(let need): return fail(.needNotMet(need))
        case .deliver(let outcome):
            state = .over
            return .deliver(outcome)
        }
    }

    private mutating func send(_ next: RequestSending, needsNew: Bool) -> FlowCommand {
        var next = next
        // The one of the last response is gone. A proxy that had authenticated it asks again.
        if next.connection == .same { next.connection = .any }
        // An idle connection may be authenticated already: there a message of a handshake, which goes without the body, passes for the request.
        if needsNew || next.body == .empty && !facts.knowsBoundConnections { next.connection = .new }
        state = .due(next, isReused: false)
        return .send(next)
    }

    /// The connection of the last response carries nothing more.
    ///
    /// - Parameter end: why. Of a handshake that cannot begin anew this is what the request fails with.
    private mutating func sendElsewhere(_ next: RequestSending, after end: DropEnd) -> FlowCommand {
        guard belongsToConnection(next) else { return send(next, needsNew: false) }
        return handshakeLost(end == .tooLong ? FlowFailure.refusalTooLong : FlowFailure.handshakeLost)
    }

    /// Whether `next` has a message that is useless on another connection.
    private func belongsToConnection(_ next: RequestSending) -> Bool {
        guard next.connection == .same else { return false }
        return next.authorization != nil && isBound(.origin) || next.proxyAuthorization != nil && isBound(.proxy)
    }

    /// The handshake begins anew on another connection, once: none of its lost messages has proved or refused a password.
    private mutating func handshakeLost(
        _ failure: (RequestOutcome) -> FlowFailure = FlowFailure.handshakeLost
    ) -> FlowCommand {
        guard let challenge else { return fail(.connectionLost) }
        let step = driver.received(
            status: challenge.status,
            fields: challenge.fields,
            on: .afterLostHandshake(id: ConnectionNumber.next()),
            bodyWasSent: false
        )
        guard case .deliver(let outcome) = step else { return follow(step, from: .nowhere(needsNew: true)) }
        return fail(failure(outcome))
    }

    /// Begins as if nothing had been sent.
    private mutating func beginAnew(from place: Place) -> FlowCommand {
        driver = Self.driver(handler, request, route, facts)
        challenge = nil
        return follow(driver.begin(), from: place)
    }

    private mutating func takes(_ use: Uses) -> Bool { uses.insert(use).inserted }

    private mutating func fail(_ failure: FlowFailure) -> FlowCommand {
        state = .over
        return .fail(failure)
    }
}
