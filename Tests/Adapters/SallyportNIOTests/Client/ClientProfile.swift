import Crypto
import NTLM
import Sallyport
import WireFormat

/// A profile for tests: one account for a server and a proxy on plain http, another for one path.
enum ClientProfile {
    static let password = "Correct-Horse"
    static let site = "http://wiki.acme.example"
    static let proxy = "http://proxy.acme.example:3128"

    static func handler(
        _ schemes: [AuthenticationScheme] = [.ntlm, .digest, .basic],
        password: String = password,
        sites: [String] = [site, proxy]
    ) throws -> ChallengeHandler {
        let jdoe = Account(name: "jdoe", user: "jdoe", domain: "ACME", password: SharedSecret(utf8: password))
        let builder = Account(name: "builder", user: "builder", domain: nil, password: SharedSecret(utf8: "other"))
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites.joined(separator: "\n"), name: "test"),
            schemes: schemes,
            accounts: [
                .init(jdoe, sites: sites, allowsCleartext: true, allowsUnbound: true),
                .init(builder, sites: ["\(sites[0])/build/"], allowsCleartext: true, allowsUnbound: true),
            ]
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }
}

/// The server's side of NTLM on one connection.
struct NTLMServer {
    enum Reply: Equatable {
        case challenge(String)
        case accepted
        case refused
    }

    private var handshake: ServerHandshake

    /// - Parameter certificate: the certificate in DER to which answers must be bound; `nil` for no bindings.
    init(certificate: [UInt8]? = nil) {
        var options = ServerHandshake.Options(computerName: "WIKI", domainName: "ACME")
        if let certificate {
            // RFC 5929 section 4.1, for a signature with SHA-256.
            let hash = [UInt8](SHA256.hash(data: certificate))
            options.channelBindings = .required([ChannelBindings(tlsServerEndPoint: hash.span)])
        }
        handshake = ServerHandshake(options: options)
    }

    /// The reply to the value of an `Authorization` field.
    mutating func reply(to value: String) throws -> Reply {
        let bytes = try Base64.decode(String(value.dropFirst("NTLM ".count)))
        // The message type follows the signature.
        if bytes[8] == 1 {
            let challenge = try handshake.challenge(to: bytes.span, now: .now)
            return .challenge("NTLM " + Base64.encode(challenge.span))
        }
        let hash = try NTHash(password: ClientProfile.password)
        do throws(ServerHandshakeError) {
            _ = try handshake.verify(authenticate: bytes.span, now: .now) { user, domain in
                user == "jdoe" && domain == "ACME" ? hash : nil
            }
        } catch { return .refused }
        return .accepted
    }
}
