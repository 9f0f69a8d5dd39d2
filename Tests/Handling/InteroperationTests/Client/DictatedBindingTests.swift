import AllowedSites
import Credentials
import Crypto
import HTTPAuthentication
import HTTPTypes
import Hostnames
import LiveServers
import NTLM
import Sallyport
import Secrets
import Testing
import WireFormat

/// A relay between the client and a target that demands channel bindings.
///
/// The relay takes the target's CHALLENGE and adds the binding of its own TLS channel to the target. A client without a
/// binding of its own that repeats the attribute signs it with its password, and the target takes the answer.
@Suite("A CHALLENGE does not dictate the client's channel binding", .inTurn)
struct DictatedBindingTests {
    /// What the client knows of the connection to the relay.
    enum Connection: CaseIterable, Sendable {
        case http, httpsWithoutLeaf, httpsWithUnreadableLeaf, ed25519, ed448, sha224, sha3

        var isTLS: Bool { self != .http }

        func certificate() throws -> [UInt8]? {
            switch self {
            case .http, .httpsWithoutLeaf: nil
            case .httpsWithUnreadableLeaf: [0x30, 0x03, 0x02, 0x01, 0x00]
            case .ed25519: try UnbindableLeaf.ed25519.certificate()
            case .ed448: try UnbindableLeaf.ed448.certificate()
            case .sha224: try UnbindableLeaf.sha224.certificate()
            case .sha3: try UnbindableLeaf.sha3.certificate()
            }
        }

        var use: ChannelBindingUse {
            switch self {
            case .http: .notApplicable
            case .httpsWithoutLeaf: .unbound(.noCertificate)
            case .httpsWithUnreadableLeaf: .unbound(.unreadableCertificate)
            case .ed25519, .ed448, .sha224, .sha3: .unbound(.noSignatureHash)
            }
        }

        /// The refusal without ``AccountAssignment/allowsUnbound``; `nil` if the client answers.
        var refusal: Refusal? {
            switch self {
            case .httpsWithoutLeaf: .unbound(account: "jdoe", .noCertificate)
            case .httpsWithUnreadableLeaf: .unbound(account: "jdoe", .unreadableCertificate)
            case .http, .ed25519, .ed448, .sha224, .sha3: nil
            }
        }
    }

    /// SHA-256 of the certificate that the target shows to the relay.
    private static let channel = [UInt8](repeating: 0x5A, count: 32)
    private static let applicationData = Array("tls-server-end-point:".utf8) + channel

    /// `MsvAvChannelBindings` for the relay's channel (MS-NLMP 2.2.2.1): MD5 of a gss_channel_bindings_struct.
    private static var dictated: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.append(littleEndian: UInt32(applicationData.count))
        return [UInt8](Insecure.MD5.hash(data: bytes + applicationData))
    }

    private func exchange(over connection: Connection, allowsUnbound: Bool = true) throws -> ChallengeExchange {
        let site = connection.isTLS ? "https://wiki.acme.example" : "http://wiki.acme.example"
        let password = SharedSecret(utf8: "Correct-Horse")
        let account = Account(name: "jdoe", user: "jdoe", domain: ServerScript.domain, password: password)
        let profile = SecurityProfile(
            sites: try SiteList(parsing: site, name: "test"),
            schemes: [.ntlm],
            accounts: [.init(account, sites: [site], allowsUnbound: allowsUnbound)]
        )
        return try ChallengeHandler(profile: profile, at: 0).exchange(
            for: ChallengedRequest(
                origin: try Origin(parsing: site),
                method: "GET",
                target: "/",
                serverCertificate: try connection.certificate()
            )
        )
    }

    /// Runs the client's side against a target, with a relay in between that changes the target's CHALLENGE.
    ///
    /// - Returns: the answers of the client, and its last decision.
    private func run(
        over connection: Connection,
        challenge: ([UInt8]) throws -> [UInt8],
        relay: (inout TargetInfo) -> Void
    ) throws -> (negotiate: ChallengeAnswer, decision: ChallengeDecision) {
        var exchange = try exchange(over: connection)
        let negotiate = try #require(exchange.received(status: 401, fields: [.wwwAuthenticate: "NTLM"]).sent)
        let first = try Base64.decode(negotiate.value.text.dropFirst("NTLM ".count))
        let original = try challenge(first)
        var message = try ChallengeMessage(parsing: original.span)
        if var info = message.targetInfo {
            relay(&info)
            message.targetInfo = info
        }
        let changed = try message.encoded()
        let field = "NTLM " + Base64.encode(changed.span)
        return (negotiate, exchange.received(status: 401, fields: [.wwwAuthenticate: field]))
    }

    private static func dictate(dropsTimestamp: Bool) -> (inout TargetInfo) -> Void {
        { info in
            var pairs = info.pairs.filter { !dropsTimestamp || $0.id != .timestamp }
            pairs.append(AVPair(id: .channelBindings, value: dictated))
            info = TargetInfo(pairs: pairs)
        }
    }

    @Test(
        "Without the opt-in, no answer goes out over TLS with a missing or unreadable leaf",
        arguments: Connection.allCases
    )
    func optIn(connection: Connection) throws {
        var exchange = try exchange(over: connection, allowsUnbound: false)
        let decision = exchange.received(status: 401, fields: [.wwwAuthenticate: "NTLM"])
        if let refusal = connection.refusal {
            #expect(decision == .withhold(refusal))
        } else {
            #expect(decision.sent?.channelBinding == connection.use)
        }
    }

    @Test("Against our own server", arguments: Connection.allCases, [false, true])
    func ownServer(connection: Connection, sendsTimestamp: Bool) throws {
        func target() -> ServerHandshake {
            let bindings = ChannelBindings(tlsServerEndPoint: Self.channel.span)
            let names = ("WIKI", ServerScript.domain)
            return ServerHandshake(
                options: .init(
                    computerName: names.0,
                    domainName: names.1,
                    sendsTimestamp: sendsTimestamp,
                    channelBindings: .required([bindings])
                )
            )
        }
        var honest = target()
        let plain = try run(
            over: connection,
            challenge: { try honest.challenge(to: $0.span, now: .now) },
            relay: { _ in }
        )
        // Without the relay the client answers, says that it is not bound, and the target refuses it.
        let answer = try #require(plain.decision.sent)
        #expect(answer.channelBinding == connection.use && plain.negotiate.channelBinding == connection.use)
        let authenticate = try Base64.decode(answer.value.text.dropFirst("NTLM ".count))
        let hash = try NTHash(password: "Correct-Horse")
        #expect(throws: ServerHandshakeError.channelBindingsMissing) {
            try honest.verify(authenticate: authenticate.span, now: .now) { _, _ in hash }
        }
        var relayed = target()
        let attack = try run(
            over: connection,
            challenge: { try relayed.challenge(to: $0.span, now: .now) },
            relay: Self.dictate(dropsTimestamp: true)
        )
        #expect(attack.decision == Self.refused)
    }

    @Test(
        "Against pyspnego's acceptor",
        .needs(.python, .pyspnego),
        arguments: [Connection.http, .ed25519],
        [false, true]
    )
    func pyspnego(connection: Connection, dropsTimestamp: Bool) throws {
        let peer = try TokenPeer(.pyspnego)
        let plain = try run(
            over: connection,
            challenge: { try peer.challenge(to: $0, bindings: Self.applicationData) },
            relay: { _ in }
        )
        let answer = try #require(plain.decision.sent)
        let authenticate = try Base64.decode(answer.value.text.dropFirst("NTLM ".count))
        #expect(throws: TokenPeer.Refusal.self) { try peer.verify(authenticate: authenticate) }
        let attack = try run(
            over: connection,
            challenge: { try peer.challenge(to: $0, bindings: Self.applicationData) },
            relay: Self.dictate(dropsTimestamp: dropsTimestamp)
        )
        #expect(attack.decision == Self.refused)
    }

    private static let refused = ChallengeDecision.withhold(
        .exchangeFailed(account: "jdoe", .handshake(.message(.avPairOfClient(id: AVPair.ID.channelBindings.rawValue))))
    )
}

extension ChallengeDecision {
    fileprivate var sent: ChallengeAnswer? {
        guard case .answer(let answer) = self else { return nil }
        return answer
    }
}
