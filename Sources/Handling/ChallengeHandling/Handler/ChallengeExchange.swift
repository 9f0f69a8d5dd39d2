public import HTTPAuthentication
public import HTTPTypes

/// Handles one request: takes each response and returns the next step.
///
/// The checks have a fixed order: allowed site, account, scheme, no weaker scheme than before, lock-out budget, channel binding. A scheme's
/// exchange sees the challenge only after all of them. The value cannot be copied, so that a challenge is answered once. One that is
/// dropped before its end releases its attempt.
public struct ChallengeExchange: ~Copyable, Sendable {
    // Three words, visible to the caller's module, so that the optimiser can remove the value: a function that makes an
    // exchange and gets a refusal counts no references.
    @usableFromInline let handler: ChallengeHandler
    @usableFromInline let request: ChallengedRequest
    @usableFromInline var state: ExchangeState

    @inlinable
    init(handler: ChallengeHandler, request: ChallengedRequest, state: ExchangeState = .fresh) {
        self.handler = handler
        self.request = request
        self.state = state
    }

    /// The chosen scheme; `nil` before the first answer.
    public var scheme: AuthenticationScheme? { state.running?.exchange.name }

    /// Whether the party can decide after the last answer, so that it goes out with the body.
    var mayBeLast: Bool { state.running?.exchange.mayBeLast ?? false }

    /// Takes the response to the last request that was sent, on a connection of HTTP/1.1 of which nothing else is known.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields of the response.
    /// - Returns: the next step. After ``ChallengeDecision/wait(_:)`` call again with the same response.
    @inlinable
    public mutating func received(status: Int, fields: HTTPFields) -> ChallengeDecision {
        // The site is checked before the first answer only, because neither the list nor the request changes afterwards. Each of these functions
        // has the check, because a call of its own would count references also for a request that is denied.
        if state.isFresh, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &state, status: status, fields: fields, on: .http1, nonces: .fresh)
    }

    /// The same for a response on `connection`.
    @inlinable
    public mutating func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits
    ) -> ChallengeDecision {
        if state.isFresh, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &state, status: status, fields: fields, on: connection, nonces: .fresh)
    }

    /// Takes what ``ChallengeDecision/needs(_:)`` asked for, and returns the next step.
    public mutating func supplied(_ supply: SchemeSupply) -> ChallengeDecision {
        handler.supply(supply, request, &state)
    }

    /// The same with recorded random numbers and time, for replays only.
    package mutating func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits = .http1,
        nonces: ExchangeNonces
    ) -> ChallengeDecision {
        if state.isFresh, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(
            request,
            &state,
            status: status,
            fields: fields,
            on: connection,
            nonces: nonces
        )
    }
}

extension ChallengeHandler {
    /// Starts to handle `request`; pass each of its responses to the exchange.
    @inlinable
    public func exchange(for request: ChallengedRequest) -> ChallengeExchange {
        ChallengeExchange(handler: self, request: request)
    }
}
