import HTTPAuthentication
import HTTPTypes
import LiveServers
import Secrets
import Synchronization

/// Requests with Digest to a server on loopback: one through a challenge, then others in advance.
///
/// Each request has a connection of its own, because Digest is not bound to one.
final class LiveDigest: Sendable {
    let port: UInt16
    let party: ChallengedParty
    private let credential: PasswordCredential
    private let rules: DigestRules
    /// The session of the last accepted exchange.
    private let session = Mutex<DigestSession?>(nil)
    private var host: String { "localhost:\(port)" }

    init(
        port: UInt16,
        party: ChallengedParty = .origin,
        user: String = "jdoe",
        password: String = "Correct-Horse",
        rules: DigestRules = DigestRules()
    ) {
        self.port = port
        self.party = party
        self.rules = rules
        let secret = SharedSecret(SecretBytes(copying: [UInt8](password.utf8).span))
        credential = PasswordCredential(user: user, password: secret)
    }

    /// Runs one request through its challenge; returns the statuses that came and how it ended.
    func challenged(
        _ target: String,
        method: String = "GET",
        body: [UInt8] = []
    ) throws -> (statuses: [Int], end: ExchangeStep) {
        let request = ExchangeRequest(
            method: method,
            target: target,
            host: "localhost",
            body: .bytes(body),
            origin: "http://\(host)"
        )
        var exchange = AuthenticationExchange.digest(credential, party: party, request: request, rules: rules)
        var statuses: [Int] = []
        var field: HTTPField?
        for _ in 0..<4 {
            let response = try send(method, target, field, body)
            statuses.append(response.status)
            let step = exchange.received(status: response.status, fields: response.fields, body: .bytes(response.body))
            guard case .send(let name, let value, _) = step else {
                session.withLock { $0 = exchange.takeDigestSession() }
                return (statuses, step)
            }
            field = value.field(named: name)
        }
        throw PeerFailure(what: "the exchange does not end: \(statuses)")
    }

    /// What came of one request with an answer in advance.
    struct Advance {
        let status: Int
        let step: DigestSession.Step
        let answer: DigestAnswer

        /// The eight digits of its counter.
        var count: String? {
            let text = answer.value.text
            return text.firstRange(of: ", nc=").map { String(text[$0.upperBound...].prefix(8)) }
        }
    }

    /// Sends one request with an answer in advance.
    func inAdvance(
        _ target: String,
        method: String = "GET",
        body: [UInt8] = [],
        after stale: DigestAnswer? = nil
    ) throws -> Advance {
        let answer = try session.withLock {
            try $0?.answer(method: method, target: target, body: .bytes(body), after: stale)
        }
        guard let answer else { throw PeerFailure(what: "there is no session") }
        let response = try send(method, target, answer.value.field(named: party.answerField), body)
        let step = session.withLock {
            $0?.received(status: response.status, fields: response.fields, to: answer, body: .bytes(response.body))
        }
        guard let step else { throw PeerFailure(what: "there is no session") }
        return Advance(status: response.status, step: step, answer: answer)
    }

    /// Sends one request as a client does: in advance, again if the nonce was stale, through a challenge at last.
    ///
    /// - Returns: the last status, and the number of trips.
    func request(_ target: String) throws -> (status: Int, trips: Int) {
        let first = try inAdvance(target)
        if first.step == .done { return (first.status, 1) }
        if first.step == .answerAgain {
            let second = try inAdvance(target, after: first.answer)
            if second.step == .done { return (second.status, 2) }
        }
        let last = try challenged(target)
        return (last.statuses.last ?? 0, 2 + last.statuses.count)
    }

    /// Whether the session is meant for `target`; `nil` without a session.
    func covers(_ target: String) -> Bool? { session.withLock { $0?.covers(target: target) } }

    private func send(
        _ method: String,
        _ target: String,
        _ field: HTTPField?,
        _ body: [UInt8]
    ) throws -> (status: Int, fields: HTTPFields, body: [UInt8]) {
        let stream = try ByteStream(port: port)
        var request = Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n".utf8)
        if !body.isEmpty { request += Array("Content-Length: \(body.count)\r\n".utf8) }
        if let field {
            request += Array("\(field.name.rawName): ".utf8)
            unsafe field.withUnsafeBytesOfValue { unsafe request.append(contentsOf: $0) }
            request += Array("\r\n".utf8)
        }
        try stream.send(request + Array("\r\n".utf8) + body)
        let head = try stream.read(upTo: Array("\r\n\r\n".utf8)).filter { $0 != UInt8(ascii: "\r") }
        var lines = head.split(separator: UInt8(ascii: "\n"))
        let statusLine = String(decoding: lines.removeFirst(), as: UTF8.self).split(separator: " ")
        guard statusLine.count >= 2, let status = Int(statusLine[1]) else { throw PeerFailure(what: "status line") }
        var fields = HTTPFields()
        for line in lines {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(decoding: parts[0], as: UTF8.self)) else {
                continue
            }
            fields.append(HTTPField(name: name, value: Array(parts[1].trimmingPrefix { $0 == UInt8(ascii: " ") })))
        }
        let count = method == "HEAD" ? 0 : fields[.contentLength].flatMap { Int($0) } ?? 0
        return (status, fields, try stream.read(count: count))
    }
}
