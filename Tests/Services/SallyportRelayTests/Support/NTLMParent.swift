import Foundation
import Hostnames
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NTLM
import TestSupport
import WireFormat

/// A parent that authenticates connections with NTLM, and answers each request with the name of its connection's user.
///
/// It closes some connections, also in the middle of a handshake, in an order that a seed determines.
final class NTLMParent: Sendable {
    static let domain = "ACME"

    let origin: Origin
    private let listener: any Channel
    private let state = NIOLockedValueBox(State())

    struct State {
        var badLogOns = 0
        var logOns = 0
        fileprivate var connections: [ObjectIdentifier: any Channel] = [:]
    }

    var counts: State { state.withLockedValue { $0 } }

    /// - Parameter seed: the order in which connections are closed; `nil` to close none.
    init(_ hashes: [String: NTHash], port: UInt16 = 0, seed: UInt64? = nil) async throws {
        let state = state
        let chance = NIOLockedValueBox(SeededGenerator(seed: seed ?? 0))
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    state.withLockedValue { $0.connections[ObjectIdentifier(channel)] = channel }
                    channel.closeFuture.whenComplete { _ in
                        state.withLockedValue { $0.connections[ObjectIdentifier(channel)] = nil }
                    }
                    let conversation = ParentConversation(hashes) { isRight in
                        state.withLockedValue {
                            if isRight { $0.logOns += 1 } else { $0.badLogOns += 1 }
                        }
                    } happens: { bound in
                        seed != nil && chance.withLockedValue { Int.random(in: 0..<bound, using: &$0) == 0 }
                    }
                    try channel.pipeline.syncOperations.addHandler(conversation)
                }
            }
            .bind(host: "127.0.0.1", port: Int(port)).get()
        origin = try Origin(parsing: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)")
    }

    /// Stops listening, and closes all connections, as the end of a process does.
    func stop() async {
        try? await listener.close()
        for channel in state.withLockedValue({ Array($0.connections.values) }) { try? await channel.close() }
    }
}

/// One connection: it belongs to the user of its handshake.
private final class ParentConversation: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let hashes: [String: NTHash]
    private let loggedOn: (Bool) -> Void
    /// True once in so many calls.
    private let happens: (Int) -> Bool
    private var received = ByteBuffer()
    private var handshake: ServerHandshake?
    private var user: String?

    init(_ hashes: [String: NTHash], loggedOn: @escaping (Bool) -> Void, happens: @escaping (Int) -> Bool) {
        (self.hashes, self.loggedOn, self.happens) = (hashes, loggedOn, happens)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        received.writeBuffer(&bytes)
        while let end = received.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = received.readString(length: end.upperBound - received.readerIndex) ?? ""
            answer(head, context)
        }
    }

    private func answer(_ head: String, _ context: ChannelHandlerContext) {
        let name = "Proxy-Authorization: NTLM "
        guard let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix(name) }) else {
            guard let user else { return respond(407, "NTLM", "", context) }
            return respond(200, nil, user, context)
        }
        let now = NTLMParent.now
        do {
            let token = try Base64.decode(line.dropFirst(name.count))
            // A NEGOTIATE begins anew, also in mid-handshake; it carries no password.
            let isNegotiate = token.count > 8 && token[8] == 1
            if !isNegotiate, var known = handshake.take() {
                let visitor = try known.verify(authenticate: token.span, now: now) { [hashes] name, _ in hashes[name] }
                loggedOn(true)
                user = visitor.user
                respond(200, nil, visitor.user, context)
            } else {
                user = nil
                var new = ServerHandshake(options: .init(computerName: "TEST", domainName: NTLMParent.domain))
                let challenge = try new.challenge(to: token.span, now: now)
                handshake = new
                respond(407, "NTLM " + Base64.encode(challenge.span), "", context)
            }
        } catch {
            loggedOn(false)
            respond(407, "NTLM", "", context)
        }
    }

    private func respond(_ status: Int, _ challenge: String?, _ body: String, _ context: ChannelHandlerContext) {
        let says = happens(50)
        let text = """
            HTTP/1.1 \(status) Answer\r\nContent-Length: \(body.utf8.count)\r\n\
            \(challenge.map { "Proxy-Authenticate: \($0)\r\n" } ?? "")\(says ? "Connection: close\r\n" : "")\r\n\(body)
            """
        context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        if says || status == 200 && happens(50) { context.close(promise: nil) }
    }
}

extension NTLMParent {
    static var now: FileTime { FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)) }

    /// The message in a field such as `NTLM TlRM…`; empty if the field has no message.
    static func message(in field: String) -> [UInt8] { (try? Base64.decode(field.dropFirst("NTLM ".count))) ?? [] }
}
