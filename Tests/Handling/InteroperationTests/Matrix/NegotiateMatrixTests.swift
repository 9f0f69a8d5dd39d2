import Foundation
import LiveServers
import NTLM
import Negotiate
import TestSupport
import Testing
import WireFormat

/// Our SPNEGO with NTLM in it against that of others, token by token, without HTTP.
@Suite("Negotiate matrix", .inTurn, .needs(.python, .pyspnego, .pythonGSSAPI, .gssNTLMSSP, .impacket))
struct NegotiateMatrixTests {
    private static let right = ServerScript.accounts["jdoe"] ?? ""
    private static let bindings = Array("tls-server-end-point:".utf8) + [UInt8](repeating: 1, count: 32)

    private func bytes(_ value: String) throws -> [UInt8] { try Base64.decode(value.dropFirst("Negotiate ".count)) }

    @Test("Our client, their servers", arguments: [NegotiatePeer.Kind.pyspnego, .gssapi], [true, false])
    func clients(kind: NegotiatePeer.Kind, isBound: Bool) throws {
        let peer = try NegotiatePeer(kind)
        let bound = Self.bindings
        for password in [Self.right, "Wrong-Horse"] {
            let account = try NTLMAccount(user: "jdoe", domain: ServerScript.domain, hash: NTHash(password: password))
            var ours: ChannelBindings?
            if isBound { ours = ChannelBindings(applicationData: bound.span) }
            let options = ClientHandshake.Options(targetName: "HTTP/wiki.acme.example", channelBindings: ours)
            var client = ClientNegotiation(ntlm: NTLMInitiator(account: account, options: options))
            let input = MechanismInput(now: FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)))
            let first = try bytes(client.start())
            var request = NegotiatePeer.Request(accept: Base64.encode(first.span))
            if isBound { request.bindings = Hexadecimal.encode(bound.span) }
            var reply = try peer.ask(request)
            let challenge = try #require(try reply.bytes())
            guard case .send(let value) = try client.received(challenge.span, isFinal: false, input) else {
                Issue.record("\(kind): an AUTHENTICATE is due")
                return
            }
            #expect(client.hasSentPassword)
            let answer = try bytes(value)
            let last = NegotiatePeer.Request(token: Base64.encode(answer.span))
            guard password == Self.right else {
                #expect(throws: NegotiatePeer.Refusal.self) { try peer.ask(last) }
                continue
            }
            reply = try peer.ask(last)
            #expect(reply.complete == true && reply.user?.hasSuffix("jdoe") == true, "\(reply)")
            let end = try #require(try reply.bytes())
            #expect(try client.received(end.span, isFinal: true, input) == .completed)
            // Both have checked the list: the peer proves that it has the key.
            #expect(client.isServerProven)
        }
    }

    @Test("Their clients, our server", arguments: [NegotiatePeer.Kind.pyspnego, .gssapi], [true, false])
    func servers(kind: NegotiatePeer.Kind, changesList: Bool) throws {
        let peer = try NegotiatePeer(kind)
        var right = Acceptor()
        let session = try right.logOn(peer, password: Self.right)
        guard let session else { throw PeerFailure(what: "the session of \(kind) has no keys") }
        let completion = try right.completion(session, changesList: changesList)
        // The peer has sent a code, so ours is in the last token.
        let last = try ResponseMessage(of: completion.span)
        #expect(last.integrityCode != nil)
        let ended = NegotiatePeer.Request(token: Base64.encode(completion.span))
        if changesList {
            // The peer finds out that our code is one over another list.
            #expect(throws: NegotiatePeer.Refusal.self) { try peer.ask(ended) }
        } else {
            #expect(try peer.ask(ended).complete == true)
        }
        var wrong = Acceptor()
        #expect(throws: ServerHandshakeError.rejected) { try wrong.logOn(peer, password: "Wrong-Horse") }
    }

    /// Our server's side.
    private struct Acceptor {
        private var server = ServerNegotiation([.ntlm])
        private var handshake: ServerHandshake

        init() {
            // With our clock: in SPNEGO gss-ntlmssp 1.2 writes an integrity code, and a code over the list, only then.
            handshake = ServerHandshake(options: .init(computerName: "WIKI", domainName: ServerScript.domain))
        }

        /// Takes the tokens of a client up to its proof; returns the session, `nil` if its keys are missing.
        mutating func logOn(_ peer: NegotiatePeer, password: String) throws -> FirstSignatures? {
            let started = NegotiatePeer.Request(user: "jdoe", domain: ServerScript.domain, password: password)
            let first = try Self.bytes(try peer.ask(started))
            let negotiate = try part(first)
            let challenge = try handshake.challenge(to: negotiate.span, now: Self.now)
            let answer = server.reply(challenge)
            let last = try Self.bytes(try peer.ask(.init(token: Base64.encode(answer.span))))
            let authenticate = try part(last)
            let hash = try NTHash(password: ServerScript.accounts["jdoe"] ?? "")
            _ = try handshake.verify(authenticate: authenticate.span, now: Self.now) { _, _ in hash }
            return handshake.firstSignatures()
        }

        /// The last token.
        ///
        /// - Parameter changesList: whether our code covers another list.
        mutating func completion(_ session: FirstSignatures, changesList: Bool) throws -> [UInt8] {
            try server.completion(
                verify: { session.accepts($0, of: $1.span) },
                make: { list in
                    let signed = changesList ? list + [0] : list
                    return session.sign(signed.span)
                }
            )
        }

        /// The message of NTLM in a token.
        private mutating func part(_ token: [UInt8]) throws -> [UInt8] {
            guard case .token(.ntlm, let place) = try server.received(token.span) else {
                throw PeerFailure(what: "NTLM is not its first choice")
            }
            return Array(token[place])
        }

        private static func bytes(_ reply: NegotiatePeer.Reply) throws -> [UInt8] {
            guard let bytes = try reply.bytes() else { throw PeerFailure(what: "a token is due") }
            return bytes
        }

        private static var now: FileTime { FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)) }
    }

    @Test("Both read what the other writes", arguments: [NegotiatePeer.Kind.pyspnego, .impacket])
    func tokens(kind: NegotiatePeer.Kind) throws {
        let peer = try NegotiatePeer(kind)
        var random = SeededGenerator(seed: 4_178)
        let names: [Mechanism: String] = [
            .kerberos: "1.2.840.113554.1.2.2", .microsoftKerberos: "1.2.840.48018.1.2.2",
            .ntlm: "1.3.6.1.4.1.311.2.2.10",
            .negoEx: "1.3.6.1.4.1.311.2.2.30",
        ]
        for size in [1, 40, 100, 127, 128, 200, 255, 256, 300, 2_048, 65_000] {
            let inner = random.bytes(size)
            let digits = Hexadecimal.encode(inner.span)
            let mechanisms = Mechanism.allCases.shuffled(using: &random)
            let list = MechanismList(mechanisms)
            let ours = InitialMessage.bytes(list, token: inner.span)
            let read = try peer.ask(.init(describe: Base64.encode(ours.span)))
            #expect(read.mechanisms == mechanisms.compactMap { names[$0] } && read.inner == digits, "\(size)")
            var request = NegotiatePeer.Request(mechanisms: mechanisms.compactMap { names[$0] })
            request.inner = digits
            let theirs = try #require(try peer.ask(request).bytes())
            let token = try InitialMessage(of: theirs.span)
            #expect(token.token.map { Array(theirs[$0]) } == inner, "\(size)")
            #expect(MechanismList(at: token.list, in: theirs.span) == list)

            let code = random.bytes(16)
            let response = ResponseMessage.bytes(
                .init(.incomplete, mechanism: .ntlm, token: inner, integrityCode: kind == .pyspnego ? code : nil)
            )
            let described = try peer.ask(.init(describe: Base64.encode(response.span)))
            #expect(described.inner == digits && described.state == 1, "\(size)")
            if kind == .pyspnego { #expect(described.code == Hexadecimal.encode(code.span)) }
            var later = NegotiatePeer.Request(inner: digits, code: Hexadecimal.encode(code.span))
            later.state = 1
            let written = try #require(try peer.ask(later).bytes())
            let second = try ResponseMessage(of: written.span)
            #expect(second.token.map { Array(written[$0]) } == inner && second.state == .incomplete, "\(size)")
            if kind == .pyspnego { #expect(second.integrityCode.map { Array(written[$0]) } == code) }
        }
    }
}
