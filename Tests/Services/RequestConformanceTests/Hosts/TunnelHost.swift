import LiveServers
import MatrixClients
import NIOCore
import NIOPosix
import Sallyport
import SallyportNIO

/// `ProxyTunnelHandler`.
struct TunnelHost: Sendable {
    private let world: World

    init(_ world: World) { self.world = world }

    /// Opens a tunnel to the origin of the request.
    func open() async throws -> MatrixReply {
        var continuing: ContinuedTunnel?
        for _ in 0..<World.mostConnections {
            let (channel, opened) = try await connect(continuing)
            defer { channel.close(promise: nil) }
            do {
                try await withTaskCancellationHandler {
                    try await opened.get()
                } onCancel: {
                    channel.close(promise: nil)
                }
                return MatrixReply(status: 200, text: "")
            } catch ProxyTunnelError.connectionNeeded(let tunnel) {
                continuing = tunnel
            } catch ProxyTunnelError.refused(let status, _, _, _) {
                return MatrixReply(status: status, text: "")
            }
        }
        throw TooManyConnections()
    }

    private func connect(_ continuing: ContinuedTunnel?) async throws -> (any Channel, EventLoopFuture<Void>) {
        let (current, origin, proxy, time) = (world.current, world.origin, world.address, world.time)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.patient)
            .connect(host: "127.0.0.1", port: Int(proxy.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let opened = channel.eventLoop.makePromise(of: Void.self)
                    var options = ProxyTunnelOptions()
                    (options.deadline, options.drainTime) = (.patient, time)
                    let tunnel = ProxyTunnelHandler(
                        current,
                        to: origin,
                        through: proxy,
                        options: options,
                        continuing: continuing,
                        opened: opened
                    )
                    try channel.pipeline.syncOperations.addHandler(tunnel)
                    return (channel, opened.futureResult)
                }
            }
    }
}
