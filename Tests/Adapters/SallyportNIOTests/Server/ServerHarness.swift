import ClientAuthentication
import HTTPAuthentication
import LiveServers
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import SallyportNIO
import Secrets
import WireFormat

/// A channel without a codec: what a server's handler sends by itself, and what it passes on.
struct ServerHarness {
    static let password = "Correct-Horse"

    let channel: NIOAsyncTestingChannel
    let directory: GatedDirectory
    let log: ServerLog

    init(
        party: ChallengedParty = .origin,
        isGated: Bool = false,
        options: AuthenticationServerOptions = AuthenticationServerOptions(mostDroppedBytes: 100, isEncrypted: true)
    ) async throws {
        let directory = GatedDirectory(isOpen: !isGated)
        let log = ServerLog()
        let authenticator = ClientAuthenticator(
            ClientAuthenticationOptions(party: party, realm: "wiki", schemes: [.digestSHA256, .basic]),
            directory: directory
        )
        self.directory = directory
        self.log = log
        channel = try await NIOAsyncTestingChannel { channel in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ReadCounter(log))
            try pipeline.addServerAuthentication(AuthenticationServerHandler(authenticator, options: options))
            try pipeline.addHandler(ServerRecorder(log))
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 80)).get()
    }

    /// Delivers the parts of a request.
    func deliver(
        _ method: HTTPMethod = .GET,
        target: String = "/",
        user: String? = nil,
        headers: HTTPHeaders = [:],
        body: String? = nil,
        isEnded: Bool = true,
        version: HTTPVersion = .http1_1
    ) async throws {
        var headers = headers
        if let user {
            let token = ByteBuffer(string: "\(user):\(Self.password)").base64
            headers.add(name: "Authorization", value: "Basic \(token)")
        }
        let head = HTTPRequestHead(version: version, method: method, uri: target, headers: headers)
        try await channel.writeInbound(HTTPServerRequestPart.head(head))
        if let body { try await channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body))) }
        if isEnded { try await channel.writeInbound(HTTPServerRequestPart.end(nil)) }
    }

    /// Answers as the user's handler does.
    func respond(_ status: HTTPResponseStatus = .ok, isEnded: Bool = true) async throws {
        try await channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: status)))
        if isEnded { try await channel.writeOutbound(HTTPServerResponsePart.end(nil)) }
    }

    /// What was sent, a word a part: the status of heads, `body`, `end`.
    func sent() async throws -> [String] {
        var words: [String] = []
        while let part = try await channel.readOutbound(as: HTTPServerResponsePart.self) {
            switch part {
            case .head(let head): words.append("\(head.status.code)")
            case .body: words.append("body")
            case .end: words.append("end")
            }
        }
        return words
    }

    /// Waits until the log has this line.
    func wait(for line: String) async throws {
        try await eventually("\(line) among \(log.lines)") { log.lines.contains(line) }
        // What the event loop does in the same turn is done.
        try await channel.testingEventLoop.executeInContext {}
    }
}

/// What reached the user's handler, and how often the socket was read.
final class ServerLog: Sendable {
    private let box = NIOLockedValueBox<(lines: [String], reads: Int)>(([], 0))

    var lines: [String] { box.withLockedValue { $0.lines } }
    var reads: Int { box.withLockedValue { $0.reads } }

    func add(_ line: String) { box.withLockedValue { $0.lines.append(line) } }
    func addRead() { box.withLockedValue { $0.reads += 1 } }
}

/// A directory with `jdoe` and `ada`, which answers when the test opens it.
final class GatedDirectory: ClientDirectory {
    private let state: NIOLockedValueBox<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>

    init(isOpen: Bool) { state = NIOLockedValueBox((isOpen, [])) }

    /// How many questions wait.
    var waiting: Int { state.withLockedValue { $0.waiting.count } }

    func open() {
        let waiting = state.withLockedValue { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for each in waiting { each.resume() }
    }

    /// Answers the question that has waited longest.
    func answerFirst() {
        state.withLockedValue { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }?.resume()
    }

    func secret(of name: ClientName) async throws -> ClientSecret? {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLockedValue { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        if name.user == "broken" { throw ChannelError.eof }
        return ["jdoe", "ada"].contains(name.user) ? .password(SharedSecret(utf8: ServerHarness.password)) : nil
    }
}

private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    private let log: ServerLog

    init(_ log: ServerLog) { self.log = log }

    func read(context: ChannelHandlerContext) {
        log.addRead()
        context.read()
    }
}

private final class ServerRecorder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let log: ServerLog
    private var isRaw = false
    private var parts: [NIOAny] = []

    init(_ log: ServerLog) { self.log = log }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { parts.append(data) }

    /// As `NIOAsyncChannel`, it takes what came when the read event ends.
    func channelReadComplete(context: ChannelHandlerContext) {
        let parts = parts
        self.parts = []
        for part in parts { take(part) }
    }

    private func take(_ data: NIOAny) {
        if isRaw {
            log.add("raw")
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let answers = head.headers["Authorization"] + head.headers["Proxy-Authorization"]
            log.add("\(head.method) \(head.uri)" + (answers.isEmpty ? "" : " with an answer"))
            if head.method == .CONNECT || head.uri == "/upgrade" { isRaw = true }
        case .body(let bytes): log.add("body \(bytes.readableBytes)")
        case .end(let trailers):
            log.add("end" + (trailers ?? [:]).map { " \($0.name)" }.joined())
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case AuthenticationServerEvent.accepted(let client): log.add("accepted \(client)")
        case AuthenticationServerEvent.refused(let reason): log.add("refused: \(reason)")
        case AuthenticationServerEvent.directoryFailed(let error):
            log.add("directory: \(error.map { "\($0)" } ?? "too slow")")
        case ChannelEvent.inputClosed: log.add("input closed")
        default: break
        }
    }
}

extension ByteBuffer {
    fileprivate var base64: String { Base64.encode(Array(readableBytesView).span) }
}
