import Foundation
import Hostnames
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NTLM
import TestSupport
import WireFormat

/// An origin server that authenticates connections with NTLM, and answers with the name of the connection's user.
///
/// It closes some connections, also in the middle of a handshake, in an order that a seed determines.
final class NTLMTestServer: Sendable {
    static let domain = "ACME"

    let origin: Origin
    private let channel: any Channel
    private let count = NIOLockedValueBox(0)

    /// How many requests came.
    var requests: Int { count.withLockedValue { $0 } }

    /// - Parameter seed: the order in which connections are closed; `nil` to close none.
    init(_ hashes: [String: NTHash], seed: UInt64?) async throws {
        let count = count
        let chance = NIOLockedValueBox(SeededGenerator(seed: seed ?? 0))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(
                        NTLMConversation(hashes) {
                            count.withLockedValue { $0 += 1 }
                        } happens: { bound in
                            seed != nil && chance.withLockedValue { Int.random(in: 0..<bound, using: &$0) == 0 }
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        origin = try Origin(parsing: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    }

    func stop() { channel.close(promise: nil) }
}

/// One connection: it belongs to the user of its handshake.
private final class NTLMConversation: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let hashes: [String: NTHash]
    /// True once in so many calls.
    private let happens: (Int) -> Bool
    private let came: () -> Void
    private var handshake: ServerHandshake?
    private var user: String?
    private var authorization: String?

    init(_ hashes: [String: NTHash], came: @escaping () -> Void, happens: @escaping (Int) -> Bool) {
        self.hashes = hashes
        self.came = came
        self.happens = happens
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): authorization = head.headers.first(name: "Authorization")
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        came()
        guard let authorization else {
            guard let user else { return respond(401, "NTLM", "", context) }
            return respond(200, nil, user, context)
        }
        let now = FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))
        do {
            let token = try Base64.decode(authorization.dropFirst("NTLM ".count))
            if var known = handshake.take() {
                let visitor = try known.verify(authenticate: token.span, now: now) { [hashes] name, _ in hashes[name] }
                user = visitor.user
                respond(200, nil, visitor.user, context)
            } else {
                var new = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMTestServer.domain))
                let challenge = try new.challenge(to: token.span, now: now)
                handshake = new
                user = nil
                respond(401, "NTLM " + Base64.encode(challenge.span), "", context)
            }
        } catch {
            respond(401, "NTLM", "", context)
        }
    }

    private func respond(_ status: Int, _ challenge: String?, _ body: String, _ context: ChannelHandlerContext) {
        var headers: HTTPHeaders = ["Content-Length": "\(body.utf8.count)"]
        if let challenge { headers.add(name: "WWW-Authenticate", value: challenge) }
        let says = happens(50)
        if says { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if says || status == 200 && happens(50) { context.close(promise: nil) }
    }
}
