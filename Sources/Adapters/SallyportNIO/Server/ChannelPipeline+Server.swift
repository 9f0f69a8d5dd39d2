public import NIOCore
internal import NIOHTTP1

extension ChannelPipeline.SynchronousOperations {
    /// Adds `handler` behind NIO's HTTP/1.1 server codec: before NIO's upgrade handler, so that nobody upgrades without being
    /// authenticated, or else at the end of the pipeline.
    ///
    /// - Parameter handler: the handler of this channel.
    public func addServerAuthentication(_ handler: AuthenticationServerHandler) throws {
        if let upgrades = try? self.handler(type: HTTPServerUpgradeHandler.self) {
            try addHandler(handler, position: .before(upgrades))
        } else {
            try addHandler(handler)
        }
    }
}
