import Crypto
import LiveServers
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import Sallyport
import SallyportNIO
import Testing
import WireFormat

@Suite(.inTurn) struct ClientSocketTests {
    /// Runs requests over one connection to a server on loopback. Returns the statuses and bodies that the user sees, and the
    /// number of requests that the server saw.
    func run(
        _ scheme: AskingServer.Scheme,
        password: String = ClientProfile.password,
        bodies: [String?]
    ) async throws -> (seen: [String], trips: Int) {
        let group = MultiThreadedEventLoopGroup.singleton
        let counter = AskingServer.Counter()
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(AskingServer(scheme, counter))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let site = "http://127.0.0.1:\(port)"
        let challenges = try ClientProfile.handler(password: password, sites: [site])
        let origin = try Origin(parsing: site)
        let count = bodies.count
        let done = group.any().makePromise(of: [String].self)
        let collector = NIOLockedValueBox<[String]>([])
        /// A connection whose responses are collected; `continuing` goes on there.
        @Sendable func connect(_ continuing: ContinuedRequest?) -> EventLoopFuture<any Channel> {
            ClientBootstrap(group: group).connectTimeout(.hours(1)).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = AuthenticationClientHandler(challenges, origin: origin, continuing: continuing)
                    try channel.pipeline.syncOperations.addAuthenticatingHTTPClientHandlers(handler)
                    try channel.pipeline.syncOperations.addHandler(
                        AnswerCollector(count, done, collector) { connect($0).cascadeFailure(to: done) }
                    )
                }
            }
            .connect(host: "127.0.0.1", port: port)
        }
        let client = try await connect(nil).get()
        // In one turn of the loop, so that all is written before the first response.
        client.eventLoop.execute {
            for (index, body) in bodies.enumerated() {
                var head = HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: "/\(index)")
                head.headers.add(name: "Host", value: "127.0.0.1:\(port)")
                if let body { head.headers.add(name: "Content-Length", value: "\(body.utf8.count)") }
                client.write(HTTPClientRequestPart.head(head), promise: nil)
                if let body {
                    client.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(string: body))), promise: nil)
                }
                client.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            }
        }
        let seen = try await done.futureResult.get()
        try await server.close()
        return (seen, counter.count)
    }

    @Test(
        "Pipelined requests over a real connection, with the trips that each scheme costs",
        arguments: [
            (AskingServer.Scheme.basic, 4), (.digest, 4), (.ntlm, 5),
        ]
    )
    func schemes(scheme: AskingServer.Scheme, trips: Int) async throws {
        let long = String(repeating: "x", count: 300_000)
        let (seen, count) = try await run(scheme, bodies: [long, nil, "short"])
        #expect(seen == ["200 POST /0 300000", "200 GET /1 0", "200 POST /2 5"])
        #expect(count == trips)
    }

    @Test("A wrong password is sent once over a real connection", arguments: AskingServer.Scheme.allCases)
    func wrong(scheme: AskingServer.Scheme) async throws {
        let (seen, count) = try await run(scheme, password: "Wrong-Horse", bodies: [nil])
        #expect(seen == ["401 GET /0 0"])
        #expect(count == (scheme == .ntlm ? 3 : 2))
    }
}

/// A server that asks with one scheme and checks the answers itself.
final class AskingServer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum Scheme: String, CaseIterable { case basic, digest, ntlm }

    /// Counts requests. One event loop and the test use it, one after the other.
    final class Counter: @unchecked Sendable { var count = 0 }

    private let scheme: Scheme
    private let counter: Counter
    private var head: HTTPRequestHead?
    private var bytes = 0
    private var ntlm: NTLMServer
    private var isAuthenticated = false

    init(_ scheme: Scheme, _ counter: Counter, certificate: [UInt8]? = nil) {
        (self.scheme, self.counter) = (scheme, counter)
        ntlm = NTLMServer(certificate: certificate)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, bytes) = (head, 0)
        case .body(let part): bytes += part.readableBytes
        case .end:
            guard let head else { return }
            counter.count += 1
            let challenge = isAuthenticated ? nil : challenge(to: head)
            let body = "\(head.method.rawValue) \(head.uri) \(bytes)"
            var headers: HTTPHeaders = ["Content-Length": "\(body.utf8.count)"]
            if let challenge { headers.add(name: "WWW-Authenticate", value: challenge) }
            let status: HTTPResponseStatus = challenge == nil ? .ok : .unauthorized
            context.write(
                wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))),
                promise: nil
            )
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    /// The challenge to a request; `nil` for a right answer.
    private func challenge(to head: HTTPRequestHead) -> String? {
        let answer = head.headers.first(name: "Authorization")
        switch scheme {
        case .basic:
            let right = "Basic " + Base64.encode([UInt8]("jdoe:\(ClientProfile.password)".utf8).span)
            return answer == right ? nil : "Basic realm=\"x\""
        case .digest:
            return answer.map { isRight($0, head) } == true ? nil : #"Digest realm="x", nonce="n1", qop="auth""#
        case .ntlm:
            guard let answer, let reply = try? ntlm.reply(to: answer) else { return "NTLM" }
            switch reply {
            case .challenge(let value): return value
            case .refused: return "NTLM"
            case .accepted:
                isAuthenticated = true
                return nil
            }
        }
    }

    /// RFC 7616 section 3.4.1, with MD5 and `qop=auth`.
    private func isRight(_ answer: String, _ head: HTTPRequestHead) -> Bool {
        var fields: [String: String] = [:]
        for pair in answer.dropFirst("Digest ".count).split(separator: ",") {
            let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = parts[1].filter { $0 != "\"" } }
        }
        func md5(_ text: String) -> String {
            let digits = Array("0123456789abcdef")
            return String(
                Insecure.MD5.hash(data: Array(text.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            )
        }
        let secret = md5("jdoe:x:\(ClientProfile.password)")
        let request = md5("\(head.method.rawValue):\(head.uri)")
        let (count, nonce) = (fields["nc"] ?? "", fields["cnonce"] ?? "")
        return fields["uri"] == head.uri && fields["username"] == "jdoe"
            && fields["response"] == md5("\(secret):n1:\(count):\(nonce):auth:\(request)")
    }
}

/// Collects responses as `status body`, over all connections of a pipeline.
final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let count: Int
    private let done: EventLoopPromise<[String]>
    private let answers: NIOLockedValueBox<[String]>
    /// Goes on with another connection; `nil` for a user of one connection.
    private let goOn: ((ContinuedRequest) -> Void)?

    init(
        _ count: Int,
        _ done: EventLoopPromise<[String]>,
        _ answers: NIOLockedValueBox<[String]> = NIOLockedValueBox([]),
        _ goOn: ((ContinuedRequest) -> Void)? = nil
    ) {
        (self.count, self.done, self.answers, self.goOn) = (count, done, answers, goOn)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        let all = answers.withLockedValue { answers in
            switch part {
            case .head(let head): answers.append("\(head.status.code) ")
            case .body(let bytes): answers[answers.count - 1] += String(buffer: bytes)
            case .end: break
            }
            return answers
        }
        if case .end = part, all.count == count {
            done.succeed(all)
            if goOn != nil { context.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let goOn, case AuthenticationError.connectionNeeded(let request) = error {
            goOn(request)
        } else {
            done.fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { if goOn == nil { done.fail(ChannelError.eof) } }
}
