internal import HTTP1
internal import Hostnames
internal import NIOCore
internal import NIOSSL
internal import SallyportNIO

/// A connection of a client: requests one after the other, then possibly a tunnel.
///
/// Idle connections and tunnels are many, so what few of them need is in an object that is made for these.
final class AcceptedConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum Phase {
        /// The messages of SOCKS before the request.
        case greeting
        /// Between two requests.
        case idle
        case exchanging
        /// The directory is asked about the client of a request.
        case admitting
        /// The body of a request whose client is refused is dropped.
        case dropping
        case tunnel
        /// The last response is written; what the client still sends is dropped.
        case closing

        var isExchanging: Bool { if case .exchanging = self { true } else { false } }
    }

    private let table: ClientTable
    let listener: RelayListener
    var context: ChannelHandlerContext?
    var phase = Phase.idle
    var exchange: RelayedRequest?
    /// The other end of the tunnel.
    var tunnel: UpstreamConnection?
    var deadline: NIODeadline
    var inputIsClosed = false
    /// What has come and is not read yet. It is changed in a copy that is put back: so the compiler knows that accesses do not overlap, and each
    /// of them needs no check.
    var received: ByteBuffer

    // Reading of heads.
    var headEnd = HeadEnd()
    var headWait = HeadWait.none
    /// What this connection has of ``RelayCore/unfinishedHeads``.
    var heldHead = 0
    var greeting: Greeting
    var isProcessing = false
    /// What a client of SOCKS has said.
    var socksStage = SOCKSStage.methods

    // Writing.
    /// The head of a response, which waits for its body.
    var waitingHead: ByteBuffer
    var pace = ChannelPace(isWritable: true)

    // Requests.
    /// Where the last one went.
    var destination: Destination?
    /// The accounts that answer for the client.
    var accounts: AnsweringAccounts
    /// `nil` if the client need not say who it is.
    var logOn: ClientLogOn?
    var dropped: DroppedBody?
    var owner = ClientOwner.notAsked
    /// The server for which the listener stands.
    var reverse: ReverseSide?
    /// The connection that the client has authenticated itself, between its requests.
    var ownUpstream: UpstreamConnection?
    /// The server at which the client authenticates itself: it is not spoken for there any more.
    var ownOrigin: Origin?
    /// The present request, as long as its ways are not known.
    var choosing: Choosing?

    init(_ table: ClientTable, _ listener: RelayListener) {
        let loop = table.loop
        self.table = table
        received = loop.noBytes
        waitingHead = loop.noBytes
        self.listener = listener
        accounts = loop.core.accounts
        greeting = listener.address.isSecure ? .shakingHands : .silent
        deadline = loop.now + (listener.address.isSecure ? loop.limits.tlsHandshake : loop.limits.idleClient)
        guard case .socks = listener.speech else { return }
        phase = .greeting
        deadline = loop.now + loop.limits.head
    }

    /// What has come of the next head. The states go only forward, so blank lines before a head (RFC 9112 section 2.2) do not extend the
    /// deadline.
    enum HeadWait {
        /// The wait has not begun.
        case none
        /// Nothing.
        case idle
        /// A part.
        case begun
    }

    /// What the client has said. The states go only forward.
    enum Greeting {
        /// The handshake of TLS is under way.
        case shakingHands
        /// No head was read: the client may speak another protocol.
        case silent
        /// A head was read.
        case spokenHTTP
    }

    /// Takes the end of the handshake of TLS.
    func secured() {
        if greeting == .shakingHands { greeting = .silent }
        deadline = loop.now + loop.limits.idleClient
    }

    /// Ends a connection whose client does not come to the end of the handshake.
    ///
    /// - Returns: whether it is under way.
    func endHandshake() -> Bool {
        guard greeting == .shakingHands, let context else { return false }
        // Past the handler of TLS, which would wait for the client to agree.
        if let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
            tls.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
        return true
    }

    var loop: LoopContext { table.loop }
    var pools: UpstreamPools { table.pools }

    /// What wrong passwords of the client are counted by.
    var guessAddress: String? {
        PeerAddress.guessAddress(
            of: context?.channel.remoteAddress,
            at: context?.channel.localAddress,
            owner: { self.owner.find($0, $1) }
        )
    }

    var isWritable: Bool { pace.isWritable }
    var isInTunnel: Bool { if case .tunnel = phase { true } else { false } }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        pace.isWritable = context.channel.isWritable
        if !table.add(self) { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        pace.isWritable = true
        // A connection that is closed before it is active, because the relay stops at that moment, does not become inactive.
        release()
        leaveTable()
    }

    func leaveTable() { table.remove(self) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pace.isWritable = context.channel.isWritable
        guard pace.isWritable else { return }
        if let tunnel { tunnel.resumeReads() } else { exchange?.upstream?.resumeReads() }
    }
}

@available(*, unavailable)
extension AcceptedConnection: Sendable {}
