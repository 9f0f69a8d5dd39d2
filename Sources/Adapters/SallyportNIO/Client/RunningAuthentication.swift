internal import HTTPTypes
internal import Sallyport

/// The driver of one request, and what it needs to begin anew after a lost connection.
///
/// `@unchecked Sendable` is safe, because one event loop owns it at a time; a continued request passes it on once.
final class RunningAuthentication: @unchecked Sendable {
    private var driver: RequestAuthentication
    /// The challenge that is being answered.
    private(set) var challenge: (status: Int, fields: HTTPFields)?

    init(_ driver: consuming RequestAuthentication) { self.driver = driver }

    /// Drives another request.
    func drive(_ driver: consuming RequestAuthentication) {
        self.driver = driver
        challenge = nil
    }

    /// The party of the last challenge.
    var challenger: ChallengedParty { challenge?.status == ChallengedParty.proxy.status ? .proxy : .origin }

    /// Whether a scheme has authenticated, or tries to authenticate, the connection.
    var bindsConnection: Bool { isBound(.origin) || isBound(.proxy) }

    private func isBound(_ party: ChallengedParty) -> Bool { driver.answer(for: party)?.sameConnection == true }

    /// Whether `sending` has a message that is useless on another connection.
    func belongsToConnection(_ sending: RequestSending) -> Bool {
        guard sending.connection != .new else { return false }
        return sending.authorization != nil && isBound(.origin) || sending.proxyAuthorization != nil && isBound(.proxy)
    }

    /// The end of the request if its connection is closed now; `nil` if no message of a handshake waits for its answer.
    var closedInHandshake: RequestOutcome? { driver.closedInHandshake }

    func begin() -> RequestStep { driver.begin() }

    func resume() -> RequestStep { driver.resume() }

    /// Takes a response.
    func received(
        status: Int,
        fields: HTTPFields,
        on connection: ConnectionTraits,
        bodyWasSent: Bool = true
    ) -> RequestStep {
        if ChallengedParty(challengingWith: status) != nil { challenge = (status, fields) }
        return driver.received(status: status, fields: fields, on: connection, bodyWasSent: bodyWasSent)
    }

    /// Reports that the connection of a handshake is lost: the handshake begins anew, once. `nil` before a challenge.
    func lost() -> RequestStep? {
        // The challenge that was being answered, on a connection that did not see the handshake.
        guard let challenge else { return nil }
        let other = ConnectionTraits.afterLostHandshake(id: ConnectionNumber.next())
        return driver.received(status: challenge.status, fields: challenge.fields, on: other, bodyWasSent: false)
    }
}
