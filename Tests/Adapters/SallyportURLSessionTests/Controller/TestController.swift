import AllowedSites
import Credentials
import Foundation
import HTTPAuthentication
import Hostnames
import Sallyport
import Secrets
import Synchronization
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A controller for `*.acme.example`, and the challenges that a URL loading system would bring it.
struct TestController: Sendable {
    static let password = "Correct-Horse"
    /// Made by OpenSSL 3.0: `openssl req -x509 -newkey ed25519 -subj /CN=jdoe`.
    static let certificate = [UInt8](
        Data(
            base64Encoded: [
                "MIIBNDCB56ADAgECAhQkyl0BK3qi6WDkB0Fw14799m4K3jAFBgMrZXAwDzENMAsGA1UEAwwEamRvZTAgFw0yNjEx",
                "MjMxNjA1MTJaGA8yMTI2MTAzMDE2MDUxMlowDzENMAsGA1UEAwwEamRvZTAqMAUGAytlcAMhAGvEm9aosmurdEtf",
                "ugn4r100xqefxJ3zYUlLHrbuoGcqo1MwUTAdBgNVHQ4EFgQUQeHUluBdYFg9a2JJRfcqDUjfEG0wHwYDVR0jBBgw",
                "FoAUQeHUluBdYFg9a2JJRfcqDUjfEG0wDwYDVR0TAQH/BAUwAwEB/zAFBgMrZXADQQAp0mMZzIbI+qj99GCXJHrS",
                "BqlagYQBbZi7Qy21btGImPuKqexHwxHnwl15uyvAvJbQcWkpVH/iEFtiptC2s84A",
            ].joined()
        ) ?? Data()
    )

    let controller: AuthenticationController
    let current: CurrentHandler

    static func account(_ user: String = "jdoe", domain: String? = nil, password: String = password) -> Account {
        Account(name: "main", user: user, domain: domain, password: SharedSecret(utf8: password))
    }

    init(
        account: Account = TestController.account(),
        schemes: [AuthenticationScheme] = [.negotiate, .ntlm, .digest, .basic],
        sites: String = "*.acme.example",
        at accountSites: [String] = ["*.acme.example"],
        identities: [AuthenticationSource.IdentityAssignment] = [],
        source: AuthenticationSource = .none,
        system: SystemCredentials = SystemCredentials(identity: nil, trust: nil)
    ) throws {
        let profile = SecurityProfile(
            sites: try SiteList(parsing: sites, name: "test"),
            schemes: schemes,
            accounts: [.init(account, sites: accountSites)],
            identities: identities
        )
        current = CurrentHandler(try ChallengeHandler(profile: profile, at: 0))
        controller = AuthenticationController(current, account: "main", source: source, system: system)
    }

    // MARK: What the system brings

    static func space(
        _ method: String,
        host: String = "wiki.acme.example",
        port: Int = 443,
        scheme: String? = "https"
    ) -> URLProtectionSpace {
        URLProtectionSpace(host: host, port: port, protocol: scheme, realm: "wiki", authenticationMethod: method)
    }

    /// A challenge by `space`, whose response offers `offer`.
    static func challenge(
        _ space: URLProtectionSpace,
        offer: String?,
        failures: Int = 0,
        path: String = "/start",
        sender: any URLAuthenticationChallengeSender = RecordingSender()
    ) throws -> URLAuthenticationChallenge {
        let status = space.isProxy() ? 407 : 401
        let host = space.isProxy() ? "wiki.acme.example" : space.host
        let url = try #require(URL(string: "\(space.isProxy() ? "https" : space.protocol ?? "https")://\(host)\(path)"))
        let fields = offer.map { [space.isProxy() ? "Proxy-Authenticate" : "WWW-Authenticate": $0] }
        let response = fields.flatMap {
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: $0)
        }
        return URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: nil,
            previousFailureCount: failures,
            failureResponse: response,
            error: nil,
            sender: sender
        )
    }

    static func basic(failures: Int = 0, host: String = "wiki.acme.example") throws -> URLAuthenticationChallenge {
        try challenge(space(Method.basic, host: host), offer: #"Basic realm="wiki""#, failures: failures)
    }

    enum Method {
        static let basic = NSURLAuthenticationMethodHTTPBasic
        static let digest = NSURLAuthenticationMethodHTTPDigest
        static let ntlm = NSURLAuthenticationMethodNTLM
        static let negotiate = NSURLAuthenticationMethodNegotiate
        // Linux Foundation declares these two as unavailable.
        static let certificate = "NSURLAuthenticationMethodClientCertificate"
        static let trust = "NSURLAuthenticationMethodServerTrust"
    }
}

extension AuthenticationSource {
    struct Asked: Error {}

    /// A source that must not be asked.
    static let none = AuthenticationSource(credentials: { _ in throw Asked() }, identities: { throw Asked() })

    static func credentials(_ user: String, domain: String? = nil, _ password: String) -> AuthenticationSource {
        AuthenticationSource(
            credentials: { _ in UserCredentials(user: user, domain: domain, password: SharedSecret(utf8: password)) },
            identities: { throw Asked() }
        )
    }
}

/// Counts what a controller does through a sender or a completion handler.
final class RecordingSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    private let calls = Mutex<[String]>([])

    var called: [String] { calls.withLock { $0 } }

    private func add(_ call: String) { calls.withLock { $0.append(call) } }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        add("use \(credential.user ?? "") \(credential.password ?? "")")
    }
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { add("without") }
    func cancel(_ challenge: URLAuthenticationChallenge) { add("cancel") }
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) { add("default") }
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { add("reject") }

    /// A completion handler that records too.
    func completed(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
        add("\(disposition.rawValue) \(credential?.user ?? "-") \(credential?.password ?? "-")")
    }
}
