public import NIOCore
public import NIOSSL
public import Sallyport

/// Remembers which TLS handler of a pipeline is the innermost, because a pipeline finds only the outermost of a type.
///
/// It passes on all events.
final class InnermostTLS: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var handler: NIOSSLHandler
    private var handshake: Handshake

    private init(_ handler: NIOSSLHandler, _ handshake: Handshake) {
        self.handler = handler
        self.handshake = handshake
    }

    /// Notes that `handler` is added inside of the others.
    static func note(
        _ handler: NIOSSLHandler,
        _ handshake: Handshake,
        in pipeline: ChannelPipeline.SynchronousOperations
    ) throws {
        if let known = try? pipeline.handler(type: InnermostTLS.self) {
            known.handler = handler
            known.handshake = handshake
        } else {
            try pipeline.addHandler(InnermostTLS(handler, handshake))
        }
    }

    /// NIOSSL shows the leaf also while it is not verified.
    fileprivate var security: ConnectionTraits.Security {
        handshake.isVerified ? handler.connectionSecurity : .unknownLeaf
    }

    fileprivate var identity: IdentityDecision? { handshake.identity }
}

extension ChannelPipeline.SynchronousOperations {
    /// What is known of the TLS of a connection, for channel binding; ask on the event loop, after the handshake.
    ///
    /// With TLS inside of TLS, as through an https proxy, this is the inner one if a ``TLSConnector`` made it. Of handlers that
    /// others made, it is the outermost.
    public func connectionSecurity() -> ConnectionTraits.Security {
        if let noted = try? handler(type: InnermostTLS.self) { return noted.security }
        return (try? handler(type: NIOSSLHandler.self))?.connectionSecurity ?? .none
    }

    /// What the server got that asked for a client certificate in the handshake of the innermost TLS that a ``TLSConnector`` made; `nil` if
    /// it did not ask. Ask on the event loop, after the handshake.
    package func presentedIdentity() -> IdentityDecision? {
        (try? handler(type: InnermostTLS.self))?.identity
    }
}

extension NIOSSLHandler {
    /// What is known of the TLS that this handler makes, for channel binding; ask on its event loop, after the handshake.
    public var connectionSecurity: ConnectionTraits.Security {
        guard let leaf = try? peerCertificate?.toDERBytes() else { return .unknownLeaf }
        return .leaf(leaf)
    }
}
