internal import HTTPTypes
internal import Sallyport
internal import SallyportNIO

/// The driver of one request's authentication at its parent.
///
/// `@unchecked Sendable` is safe, because one event loop uses it.
final class Drive: @unchecked Sendable {
    private var driver: RequestAuthentication
    /// The challenge that is being answered, and its status.
    private(set) var challenge: HTTPFields?
    private var status = ParentStatus.challenge
    /// The parent's offers in the challenge that began.
    private(set) var firstOffers: HTTPFields?

    init(_ driver: consuming RequestAuthentication) { self.driver = driver }

    /// The fields of the response that the caller takes for a challenge.
    func noteChallenge(_ status: Int, _ fields: HTTPFields) {
        (self.status, challenge) = (status, fields)
        guard firstOffers == nil else { return }
        // Whether that connection was closed says nothing about another one.
        var offers = HTTPFields()
        offers[fields: .proxyAuthenticate] = fields[fields: .proxyAuthenticate]
        firstOffers = offers
    }

    /// Whether a handshake is under way that authenticates its connection.
    var isBinding: Bool { driver.isBindingConnection }

    /// The end of the request if its connection is closed now; `nil` if no message of a handshake waits for its answer.
    var closedInHandshake: RequestOutcome? { driver.closedInHandshake }

    func begin() -> RequestStep { driver.begin() }
    /// The relay gives a connection back while a request waits.
    func resume() -> RequestStep { driver.resume(keepsConnection: false) }

    func received(status: Int, _ fields: HTTPFields, on connection: ConnectionTraits, bodyWasSent: Bool) -> RequestStep
    {
        driver.received(status: status, fields: fields, on: connection, bodyWasSent: bodyWasSent)
    }

    /// Reports that the connection of a handshake is lost: the handshake begins anew, once. `nil` before a challenge.
    func lost() -> RequestStep? {
        guard let challenge else { return nil }
        // The challenge that was being answered, on a connection that did not see the handshake.
        let other = ConnectionTraits.afterLostHandshake(id: ConnectionNumber.next())
        return driver.received(status: status, fields: challenge, on: other, bodyWasSent: false)
    }
}

enum ParentStatus {
    /// Proxy Authentication Required.
    static let challenge = 407
}

enum ServerStatus {
    /// Unauthorized.
    static let challenge = 401
}
