public import HTTPAuthentication
public import HTTPTypes

/// The handler's side of one request: takes each response, says what to send next.
///
/// The steps are always the same: is the site allowed, is a scheme supported, is a credential there, is budget left;
/// only then does a scheme's exchange see the challenge. Dropping the value in the middle gives the budget back.
public struct ChallengeExchange: Sendable {
    // What a caller's own code sees of it is so little that the compiler takes it to pieces: an exchange that is made and
    // asked in one place and turned away needs no reference counted.
    @usableFromInline let handler: ChallengeHandler
    @usableFromInline let request: ChallengedRequest
    @usableFromInline var running: RunningExchange?

    @inlinable
    init(handler: ChallengeHandler, request: ChallengedRequest, running: RunningExchange? = nil) {
        self.handler = handler
        self.request = request
        self.running = running
    }

    /// The scheme that is being answered, once one was chosen.
    public var scheme: AuthenticationScheme? { running?.exchange.name }

    /// Takes the response to the request as it was last sent.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields of the response.
    /// - Returns: what to do next.
    @inlinable
    public mutating func received(status: Int, fields: HTTPFields) -> ChallengeDecision {
        if running == nil, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &running, status: status, fields: fields, nonces: .fresh)
    }

    /// The same with the random numbers and the time of a recording, for replays only.
    package mutating func received(status: Int, fields: HTTPFields, nonces: ExchangeNonces) -> ChallengeDecision {
        if running == nil, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &running, status: status, fields: fields, nonces: nonces)
    }
}

extension ChallengeHandler {
    /// Begins to handle `request`: hand each of its responses to the exchange.
    @inlinable
    public func exchange(for request: ChallengedRequest) -> ChallengeExchange {
        ChallengeExchange(handler: self, request: request)
    }
}
