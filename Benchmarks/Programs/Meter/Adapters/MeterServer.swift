internal import Hostnames
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// An HTTP/1.1 server on loopback, on one thread.
struct MeterServer {
    /// What the server asks for.
    enum Kind: String, CaseIterable, Sendable {
        /// Nothing.
        case open
        /// Basic with each request.
        case basic
        /// NTLM, once a connection; proofs are verified.
        case ntlm
    }

    let origin: Origin
    private let channel: any Channel

    init(_ kind: Kind, group: any EventLoopGroup) async throws {
        let hash = try MeterAccount.hash()
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(MeterConversation(kind, hash))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        origin = try Origin(parsing: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    }

    func stop() async throws { try await channel.close() }
}
