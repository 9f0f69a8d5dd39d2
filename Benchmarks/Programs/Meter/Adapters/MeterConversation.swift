internal import HTTPAuthentication
internal import NIOCore
internal import NIOHTTP1
internal import NTLM
internal import WireFormat

/// One connection of the server.
final class MeterConversation: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let kind: MeterServer.Kind
    private let hash: NTHash
    private var handshake: ServerHandshake?
    private var isAuthenticated = false
    private var authorization: String?

    init(_ kind: MeterServer.Kind, _ hash: NTHash) {
        self.kind = kind
        self.hash = hash
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): authorization = head.headers.first(name: "Authorization")
        case .body: break
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        switch kind {
        case .open: respond(200, nil, context)
        case .basic:
            respond(authorization == nil ? 401 : 200, authorization == nil ? "Basic realm=\"meter\"" : nil, context)
        case .ntlm:
            if isAuthenticated, authorization == nil { return respond(200, nil, context) }
            respond(challenge(), context)
        }
    }

    /// The next challenge; `nil` if the connection is authenticated.
    private func challenge() -> String? {
        guard let authorization else { return "NTLM" }
        let now = FileTime.now
        do {
            let token = try Base64.decode(authorization.dropFirst("NTLM ".count))
            if var known = handshake.take() {
                _ = try known.verify(authenticate: token.span, now: now) { [hash] _, _ in hash }
                isAuthenticated = true
                return nil
            }
            var new = ServerHandshake(options: .init(computerName: "METER", domainName: MeterAccount.domain))
            let challenge = try new.challenge(to: token.span, now: now)
            handshake = new
            return "NTLM " + Base64.encode(challenge.span)
        } catch {
            return "NTLM"
        }
    }

    private func respond(_ challenge: String?, _ context: ChannelHandlerContext) {
        respond(challenge == nil ? 200 : 401, challenge, context)
    }

    private func respond(_ status: Int, _ challenge: String?, _ context: ChannelHandlerContext) {
        var headers: HTTPHeaders = ["Content-Length": "2"]
        if let challenge { headers.add(name: "WWW-Authenticate", value: challenge) }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "ok")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
