public import HTTPAuthentication
public import HTTPTypes

/// Handles one request: takes each response and returns the next step.
///
/// The checks have a fixed order: allowed site, supported scheme, credential, lock-out budget. A scheme's exchange sees
/// the challenge only after all of them. A value that is dropped before its end releases its attempt.
public struct ChallengeExchange: Sendable {
    // Three references, visible to the caller's module, so that the optimiser can remove the value: a function that
    // makes an exchange and gets a refusal counts no references.
    @usableFromInline let handler: ChallengeHandler
    @usableFromInline let request: ChallengedRequest
    @usableFromInline var running: RunningExchange?

    @inlinable
    init(handler: ChallengeHandler, request: ChallengedRequest, running: RunningExchange? = nil) {
        self.handler = handler
        self.request = request
        self.running = running
    }

    /// The chosen scheme; `nil` before the first answer.
    public var scheme: AuthenticationScheme? { running?.exchange.name }

    /// Takes the response to the last request that was sent.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - fields: the header fields of the response.
    /// - Returns: the next step.
    @inlinable
    public mutating func received(status: Int, fields: HTTPFields) -> ChallengeDecision {
        if running == nil, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &running, status: status, fields: fields, nonces: .fresh)
    }

    /// The same with recorded random numbers and time, for replays only.
    package mutating func received(status: Int, fields: HTTPFields, nonces: ExchangeNonces) -> ChallengeDecision {
        if running == nil, let verdict = handler.denial(of: request, status: status) {
            return .withhold(.siteNotAllowed(verdict))
        }
        return handler.decide(request, &running, status: status, fields: fields, nonces: nonces)
    }
}

extension ChallengeHandler {
    /// Starts to handle `request`; pass each of its responses to the exchange.
    @inlinable
    public func exchange(for request: ChallengedRequest) -> ChallengeExchange {
        ChallengeExchange(handler: self, request: request)
    }
}
