internal import NIOCore
internal import Sallyport

extension ConnectionTraits.Security {
    /// The TLS state of the connection of `context` to `hop`, as far as NIOSSL knows it.
    init(of context: ChannelHandlerContext?, to hop: Origin) {
        guard hop.scheme == .https else {
            self = .none
            return
        }
        let found = context?.pipeline.syncOperations.connectionSecurity() ?? .none
        self = found == .none ? .unknownLeaf : found
    }
}
