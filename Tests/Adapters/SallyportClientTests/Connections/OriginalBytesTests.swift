import Crypto
import Foundation
import LiveServers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportClient
import Testing

/// Challenges and locations with bytes that are not UTF-8. curl 7.88 repeats those of a challenge and logs on.
@Suite(.inTurn) struct OriginalBytesTests {
    /// A server that answers the bytes of each head with other bytes.
    final class ByteServer: Sendable {
        let origin: Origin
        let heads: NIOLockedValueBox<[[UInt8]]>
        private let channel: any Channel

        init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) async throws {
            let heads = NIOLockedValueBox<[[UInt8]]>([])
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Answering(heads, answer))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            self.heads = heads
            origin = try Origin(parsing: "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
        }

        func stop() { channel.close(promise: nil) }
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private var received: [UInt8] = []
        private let heads: NIOLockedValueBox<[[UInt8]]>
        private let answer: @Sendable ([UInt8]) -> [UInt8]

        init(_ heads: NIOLockedValueBox<[[UInt8]]>, _ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) {
            (self.heads, self.answer) = (heads, answer)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += Array(buffer: unwrapInboundIn(data))
            let end = Array("\r\n\r\n".utf8)
            while let place = received.firstRange(of: end) {
                let head = Array(received[..<place.upperBound])
                let body = head.firstRange(of: Array("Content-Length: 4".utf8)) == nil ? 0 : 4
                guard received.count >= place.upperBound + body else { return }
                received.removeFirst(place.upperBound + body)
                heads.withLockedValue { $0.append(head) }
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: answer(head))), promise: nil)
            }
        }
    }

    private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)

    /// The value of a quoted or plain parameter in a head.
    private static func value(of name: String, in head: [UInt8]) -> [UInt8] {
        guard let start = head.firstRange(of: Array(" \(name)=".utf8))?.upperBound else { return [] }
        let rest = head[start...]
        if rest.first == UInt8(ascii: "\"") { return Array(rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }) }
        return Array(rest.prefix { $0 != UInt8(ascii: ",") && $0 != 0x0D })
    }

    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        Array(Insecure.MD5.hash(data: bytes).map { String(format: "%02x", $0) }.joined().utf8)
    }

    /// RFC 7616 section 3.4.1, over the bytes that the server has sent itself.
    private static func isRight(_ head: [UInt8], _ method: String, realm: [UInt8], nonce: [UInt8]) -> Bool {
        let colon = [UInt8(ascii: ":")]
        let secret = digits(Array("jdoe:".utf8) + realm + Array(":Secret".utf8))
        let request = digits(Array("\(method):/".utf8))
        let once = value(of: "nc", in: head) + colon + value(of: "cnonce", in: head) + Array(":auth:".utf8)
        let response = digits(secret + colon + nonce + colon + once + request)
        return value(of: "response", in: head) == response
    }

    @Test(
        "A Digest answer repeats the bytes of the challenge",
        arguments: [
            ("realm", [0xE9]), ("nonce", [0xE9]), ("opaque", [0xE9, 0x80]),
            ("realm", [0xC3, 0xA9]), ("nonce", [0xC3, 0xA9]),
        ] as [(String, [UInt8])],
        ["GET", "POST"]
    )
    func digest(changed: (name: String, bytes: [UInt8]), method: String) async throws {
        func bytes(of name: String) -> [UInt8] { Array(name.utf8) + (name == changed.name ? changed.bytes : []) }
        let (realm, nonce, opaque) = (bytes(of: "realm"), bytes(of: "nonce"), bytes(of: "opaque"))
        let server = try await ByteServer { head in
            let isRight = Self.isRight(head, method, realm: realm, nonce: nonce)
            if isRight, Self.value(of: "realm", in: head) == realm, Self.value(of: "opaque", in: head) == opaque {
                return Self.ok
            }
            let head = "HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: Digest qop=\"auth\", realm=\""
            return Array(head.utf8) + realm + Array("\", nonce=\"".utf8) + nonce + Array("\", opaque=\"".utf8) + opaque
                + Array("\"\r\n\r\n".utf8)
        }
        defer { server.stop() }
        let client = AuthenticatedClient(try OneAccount.current("\(server.origin)", isStill: true), settings: .patient)
        defer { client.shutDown() }
        // The second request is answered in advance.
        for count in [2, 1] {
            let before = server.heads.withLockedValue(\.count)
            let request = ClientRequest(
                origin: server.origin,
                method: HTTPMethod(rawValue: method),
                body: method == "POST" ? .bytes(ByteBuffer(string: "data")) : .none
            )
            let response = try await client.execute(request, deadline: OneAccount.soon)
            #expect(response.status == .ok)
            #expect(String(buffer: try await response.body.collect(upTo: 10)) == "ok")
            #expect(server.heads.withLockedValue(\.count) == before + count)
        }
    }

    @Test("A location that is not UTF-8 leads on as with curl 7.88") func location() async throws {
        let server = try await ByteServer { head in
            if head.starts(with: Array("GET /caf%E9?x=%FC HTTP/1.1\r\n".utf8)) { return Self.ok }
            return Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf".utf8) + [0xE9] + Array("?x=".utf8)
                + [0xFC] + Array("#".utf8) + [0xE4] + Array("\r\n\r\n".utf8)
        }
        defer { server.stop() }
        let client = AuthenticatedClient(try OneAccount.current("\(server.origin)"), settings: .patient)
        defer { client.shutDown() }
        let response = try await client.execute(ClientRequest(origin: server.origin), deadline: OneAccount.soon)
        #expect(response.status == .ok)
        #expect(server.heads.withLockedValue(\.count) == 2)
    }
}
