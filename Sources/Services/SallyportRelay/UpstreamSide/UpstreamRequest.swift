internal import HTTP1
internal import NIOCore
internal import Sallyport

/// The request that a connection is leased for, and then carries.
///
/// It and ``UpstreamTunnel`` are protocols, so that connections and pools do not refer to the client's side.
protocol UpstreamRequest: AnyObject {
    // MARK: The lease

    /// What its connection is opened and authenticated for.
    var key: ConnectionKey { get }
    /// Answers the party, and a proxy on the way to it.
    var handler: ChallengeHandler { get }
    /// Bring a password that ``handler`` has not.
    var accounts: AnsweringAccounts { get }
    /// Whether it still waits for a connection.
    var waitsForConnection: Bool { get }
    /// Whether a long wait may begin.
    var mayWaitLong: Bool { get }

    /// Notes that it waits until another request's connection is free.
    func noteQueued()
    /// Notes that a connection is being opened for it.
    func noteDialled()
    func leased(_ upstream: UpstreamConnection, isReused: Bool)
    /// The connection could not be opened, so another way may be tried.
    func notConnected(_ refusal: RelayRefusal)
    /// The tunnel to the server could not be opened.
    func tunnelRefused(_ error: any Error)
    /// It gets no connection.
    func refuse(_ refusal: RelayRefusal)

    // MARK: The response

    /// Whether its client takes more bytes.
    var isWritable: Bool { get }
    /// Whether its client knows no chunks.
    var needsPlainBody: Bool { get }

    func receivedInterim(_ head: ResponseHead, _ bytes: ByteBuffer)
    func received(_ head: ResponseHead, _ bytes: ByteBuffer, on upstream: UpstreamConnection)
    func receivedBody(_ part: ByteBuffer)
    /// Sends what has been received to the client.
    func flush()
    func responseEnded(_ upstream: UpstreamConnection)
    /// The refused response is read to its end.
    func refusedResponseEnded(_ upstream: UpstreamConnection)
    func upstreamLost(_ upstream: UpstreamConnection)
    /// The response cannot be read.
    func upstreamFailed(_ upstream: UpstreamConnection, _ defect: HeadDefect)
    func upstreamStalled(_ upstream: UpstreamConnection)
    /// The connection takes more bytes.
    func resumeReads()
}

/// The client's end of a tunnel.
protocol UpstreamTunnel: AnyObject {
    /// Whether the client takes more bytes.
    var isWritable: Bool { get }

    func receivedThrough(_ bytes: ByteBuffer)
    /// Sends what has been received to the client.
    func flush()
    /// The connection takes more bytes.
    func resumeReads()
    /// The party sends nothing more.
    func finishWriting()
    func tunnelStalled()
    func tunnelEnded()
}
