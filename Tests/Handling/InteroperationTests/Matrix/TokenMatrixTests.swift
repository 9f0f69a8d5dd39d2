import Foundation
import LiveServers
import NTLM
import Testing

/// Our row and our column of the matrix of clients and servers, message by message, without HTTP.
@Suite(
    "Token matrix",
    .inTurn,
    .needs(
        .python,
        .pyspnego,
        .pythonGSSAPI,
        .gssNTLMSSP,
        .winbind,
        .samba,
        .namespaces,
        .ntlmAuth,
        .impacket
    )
)
struct TokenMatrixTests {
    /// What is tried in each cell.
    enum Attempt: String, CaseIterable {
        case rightPassword, wrongPassword, missingDomain, unicode, rightBinding, wrongBinding, noBinding
        case rightExporter, wrongExporter, noExporter

        var user: String { self == .unicode ? "łukasz" : "jdoe" }
        var domain: String { self == .missingDomain ? "" : ServerScript.domain }
        var password: String {
            self == .wrongPassword ? "Wrong-Horse" : ServerScript.accounts[user] ?? ""
        }
        /// What the client binds to: application data, prefix included (RFC 5929, RFC 9266).
        var bound: [UInt8]? {
            switch self {
            case .rightBinding: Self.endPoint(1)
            case .wrongBinding: Self.endPoint(2)
            case .rightExporter: Self.exporter(1)
            case .wrongExporter: Self.exporter(2)
            default: nil
            }
        }
        /// What the server demands to be bound to.
        var demanded: [UInt8]? {
            switch self {
            case .rightBinding, .wrongBinding, .noBinding: Self.endPoint(1)
            case .rightExporter, .wrongExporter, .noExporter: Self.exporter(1)
            default: nil
            }
        }

        private static func endPoint(_ byte: UInt8) -> [UInt8] {
            Array("tls-server-end-point:".utf8) + [UInt8](repeating: byte, count: 48)
        }

        private static func exporter(_ byte: UInt8) -> [UInt8] {
            Array("tls-exporter:".utf8) + [UInt8](repeating: byte, count: 32)
        }

        /// The same for our side, which puts the prefix in front by itself.
        static func bindings(_ data: [UInt8]?) throws -> ChannelBindings? {
            guard let data, let colon = data.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = Array(data[(colon + 1)...])
            return data.starts(with: "tls-exporter:".utf8)
                ? try ChannelBindings(tlsExporter: value.span) : ChannelBindings(tlsServerEndPoint: value.span)
        }
    }

    /// How an attempt ends. Peers give no reasons that could be compared.
    enum Outcome: Equatable {
        case entered
        case refusedByOurServer(ServerHandshakeError)
        case refusedByOurClient(HandshakeError)
        case refusedByPeer
    }

    /// A cell that differs from what the specification has; an unexpected agreement fails as well.
    struct Deviation {
        let peer: TokenPeer.Kind
        let attempts: [Attempt]
        let outcome: Outcome
        /// What the peer does, and the section that has it otherwise.
        let reason: String

        init(_ peer: TokenPeer.Kind, _ attempts: [Attempt], _ outcome: Outcome, _ reason: String) {
            (self.peer, self.attempts, self.outcome, self.reason) = (peer, attempts, outcome, reason)
        }
    }

    /// What clients do with a CHALLENGE that has a timestamp: an integrity code is due then (MS-NLMP 3.1.5.1.2).
    static let clientDeviations: [Deviation] = [
        Deviation(
            .gssNTLMSSP,
            Attempt.allCases,
            .refusedByOurServer(.messageIntegrityCodeMissing),
            "version 1.2 writes no integrity code: MS-NLMP 3.1.5.1.2"
        ),
        Deviation(
            .samba,
            Attempt.allCases,
            .refusedByOurServer(.messageIntegrityCodeMissing),
            "ntlm_auth 4.17 writes no integrity code outside SPNEGO: MS-NLMP 3.1.5.1.2"
        ),
        Deviation(
            .impacket,
            Attempt.allCases,
            .refusedByOurServer(.messageIntegrityCodeMissing),
            "writes no integrity code: MS-NLMP 3.1.5.1.2"
        ),
    ]

    /// The same without a timestamp.
    static let clientDeviationsWithoutClock: [Deviation] = [
        Deviation(
            .samba,
            [.rightBinding, .wrongBinding, .rightExporter, .wrongExporter],
            .refusedByOurServer(.channelBindingsMissing),
            "ntlm_auth has no option for channel bindings, which MS-NLMP 3.1.5.1.2 adds to the response"
        ),
        Deviation(
            .ntlmAuth,
            Attempt.allCases,
            .refusedByOurServer(.staleTimestamp(skewSeconds: 0)),
            "fills in a clock that is thousands of years off (by how much is not compared): MS-NLMP 2.2.2.7"
        ),
    ]

    static let serverDeviations: [Deviation] = [
        Deviation(
            .gssNTLMSSP,
            [.noBinding, .noExporter],
            .entered,
            "demands bindings and takes an answer without any: MS-NLMP 3.2.5.1.2"
        ),
        Deviation(
            .samba,
            [.wrongBinding, .noBinding, .wrongExporter, .noExporter],
            .entered,
            "ntlm_auth has no option for channel bindings and does not look at them: MS-NLMP 3.2.5.1.2"
        ),
        Deviation(
            .impacket,
            [.wrongBinding, .noBinding, .wrongExporter, .noExporter],
            .entered,
            "does not look at channel bindings: MS-NLMP 3.2.5.1.2"
        ),
    ]

    private static var now: FileTime { FileTime(unixSeconds: Int64(Date().timeIntervalSince1970)) }

    @Test("Their clients, our server", arguments: TokenPeer.Kind.allCases, [true, false])
    func clients(kind: TokenPeer.Kind, sendsTimestamp: Bool) throws {
        let peer = try TokenPeer(kind)
        let hashes = try ServerScript.accounts.mapValues { try NTHash(password: $0) }
        for attempt in Attempt.allCases {
            var server = ServerHandshake(
                options: .init(
                    computerName: "WIKI",
                    domainName: ServerScript.domain,
                    dnsComputerName: "wiki.acme.example",
                    sendsTimestamp: sendsTimestamp,
                    channelBindings: try Attempt.bindings(attempt.demanded).map { .required([$0]) } ?? .off
                )
            )
            let expected: Outcome =
                switch attempt {
                case .rightPassword, .unicode, .rightBinding, .rightExporter: .entered
                case .wrongPassword, .missingDomain: .refusedByOurServer(.rejected)
                case .wrongBinding, .wrongExporter: .refusedByOurServer(.channelBindingsMismatch)
                case .noBinding, .noExporter: .refusedByOurServer(.channelBindingsMissing)
                }
            let found = try outcome {
                let negotiate = try peer.negotiate(
                    user: attempt.user,
                    domain: attempt.domain,
                    password: attempt.password,
                    bindings: attempt.bound
                )
                let challenge = try server.challenge(to: negotiate.span, now: Self.now)
                let authenticate = try peer.authenticate(challenge: challenge)
                let client = try server.verify(authenticate: authenticate.span, now: Self.now) { user, domain in
                    domain == ServerScript.domain ? hashes[user] : nil
                }
                #expect(client.user == attempt.user)
            }
            let deviations = sendsTimestamp ? Self.clientDeviations : Self.clientDeviationsWithoutClock
            check(found, expected, kind, attempt, deviations)
        }
    }

    @Test("Our client, their servers", arguments: TokenPeer.Kind.allCases.filter { $0 != .ntlmAuth })
    func servers(kind: TokenPeer.Kind) throws {
        let peer = try TokenPeer(kind)
        for attempt in Attempt.allCases {
            let account = try NTLMAccount(
                user: attempt.user,
                domain: attempt == .missingDomain ? nil : attempt.domain,
                hash: NTHash(password: attempt.password)
            )
            var client = ClientHandshake(
                account: account,
                options: .init(
                    targetName: "HTTP/wiki.acme.example",
                    channelBindings: try Attempt.bindings(attempt.bound)
                )
            )
            let expected: Outcome =
                switch attempt {
                case .rightPassword, .unicode, .rightBinding, .rightExporter: .entered
                case .wrongPassword, .wrongBinding, .noBinding, .wrongExporter, .noExporter: .refusedByPeer
                case .missingDomain:
                    switch kind {
                    // Speaks for a domain, and says so.
                    case .gssNTLMSSP: .refusedByOurClient(.domainRequired(target: ServerScript.domain))
                    // A server on its own: its accounts need no domain.
                    case .samba, .impacket: .entered
                    case .pyspnego, .ntlmAuth: .refusedByPeer
                    }
                }
            let found = try outcome {
                let challenge = try peer.challenge(
                    to: client.negotiate(),
                    bindings: attempt.demanded
                )
                let authenticate = try client.authenticate(challenge: challenge.span, now: Self.now)
                let user = try peer.verify(authenticate: authenticate)
                #expect(user.hasSuffix(attempt.user), "\(kind.rawValue)")
            }
            check(found, expected, kind, attempt, Self.serverDeviations)
        }
    }

    private func outcome(_ handshake: () throws -> Void) throws -> Outcome {
        do {
            try handshake()
            return .entered
        } catch ServerHandshakeError.staleTimestamp {
            // The number changes from run to run.
            return .refusedByOurServer(.staleTimestamp(skewSeconds: 0))
        } catch let error as ServerHandshakeError {
            return .refusedByOurServer(error)
        } catch let error as HandshakeError {
            return .refusedByOurClient(error)
        } catch is TokenPeer.Refusal {
            return .refusedByPeer
        }
    }

    private func check(
        _ found: Outcome,
        _ expected: Outcome,
        _ kind: TokenPeer.Kind,
        _ attempt: Attempt,
        _ deviations: [Deviation]
    ) {
        let deviation = deviations.first { $0.peer == kind && $0.attempts.contains(attempt) }
        #expect(
            found == deviation?.outcome ?? expected,
            "\(kind.rawValue), \(attempt.rawValue): \(deviation?.reason ?? "no deviation is known")"
        )
    }
}
