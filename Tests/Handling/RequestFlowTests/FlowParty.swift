import ChallengeHandling
import HTTPAuthentication
import HTTPTypes
import NTLM
import WireFormat

/// A party that asks for the password. It knows what a message is, and the world says whether the password is right.
struct FlowParty {
    enum Verdict {
        case pass
        case challenge(HTTPFields, wasBad: Bool)
        /// Something that must not happen.
        case violation(String)
    }

    let party: ChallengedParty
    private let schemes: [AuthenticationScheme]
    private let isRight: Bool
    private let ntlmChallenge: String
    private var nonce = 0
    private static let knownNonces = 20

    init(_ party: ChallengedParty, _ schemes: [AuthenticationScheme], isRight: Bool) throws {
        self.party = party
        self.schemes = schemes
        self.isRight = isRight
        ntlmChallenge = try Self.ntlm()
    }

    mutating func judge(_ value: String?, on connection: FlowConnection) -> Verdict {
        guard let value else {
            return connection.handshakes[party.status] == .done ? .pass : challenge(wasBad: false)
        }
        if value.hasPrefix("Basic ") { return password() }
        if value.hasPrefix("Digest ") {
            // It knows its last nonces.
            let isKnown = (max(1, nonce - Self.knownNonces)...max(1, nonce)).contains {
                value.contains("nonce=\"n\($0)\"")
            }
            return isKnown ? password() : challenge(wasBad: false, isStale: true)
        }
        // The signature and the type of a message (MS-NLMP 2.2.1), in base64.
        if value.hasPrefix("NTLM TlRMTVNTUAAB") {
            // Squid and others take it for the request itself.
            guard connection.handshakes[party.status] != .done else {
                return .violation("a handshake on a connection that is authenticated")
            }
            connection.handshakes[party.status] = .challenged
            var fields: HTTPFields = [party.challengeField: "NTLM \(ntlmChallenge)"]
            if party == .origin, let name = HTTPField.Name("Proxy-Support") {
                fields[name] = "Session-Based-Authentication"
            }
            return .challenge(fields, wasBad: false)
        }
        guard value.hasPrefix("NTLM TlRMTVNTUAAD") else { return .violation("an answer that nobody knows") }
        guard connection.handshakes[party.status] == .challenged else {
            return .violation("an answer to a challenge of another connection")
        }
        connection.handshakes[party.status] = isRight ? .done : .fresh
        return password()
    }

    private mutating func password() -> Verdict { isRight ? .pass : challenge(wasBad: true) }

    private mutating func challenge(wasBad: Bool, isStale: Bool = false) -> Verdict {
        var fields = HTTPFields()
        for scheme in schemes {
            let value: String
            switch scheme {
            case .digest:
                nonce += 1
                value =
                    "Digest realm=\"r\", qop=\"auth\", algorithm=MD5, nonce=\"n\(nonce)\"\(isStale ? ", stale=true" : "")"
            case .ntlm: value = "NTLM"
            default: value = "Basic realm=\"r\""
            }
            fields.append(HTTPField(name: party.challengeField, value: value))
        }
        // Without it, NTLM of a server does not go through a proxy (RFC 4559 section 6).
        if party == .origin, let name = HTTPField.Name("Proxy-Support") {
            fields[name] = "Session-Based-Authentication"
        }
        return .challenge(fields, wasBad: wasBad)
    }

    /// A CHALLENGE in base64, for any NEGOTIATE of this package's client.
    static func ntlm() throws -> String {
        let account = try NTLMAccount(user: "jdoe", domain: "ACME", hash: NTHash(password: "x"))
        var client = ClientHandshake(account: account, options: .init(targetName: "HTTP/wiki.acme.example"))
        var server = ServerHandshake(options: .init(computerName: "WIKI", domainName: "ACME"))
        let negotiate = client.negotiate()
        let challenge = try server.challenge(to: negotiate.span, now: .now)
        return Base64.encode(challenge.span)
    }
}
