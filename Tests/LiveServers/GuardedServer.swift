internal import AllowedSites
internal import Credentials
package import HTTPAuthentication
package import Hostnames
package import Sallyport
internal import Secrets
internal import Testing

/// A server that counts bad log-ons. It knows `jdoe` and `ada`, and lets only `ada` see one of its pages.
///
/// `@unchecked Sendable` is safe, because one test uses a server, one call after the other.
package final class GuardedServer: @unchecked Sendable {
    package enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case apacheBasic, apacheDigest, apacheNTLM
        case lighttpdBasic, lighttpdDigest, lighttpdSHA256
        case nginxBasic
        case squidBasic, squidDigest, squidNTLM, squidDirectory

        package static let apache: [Kind] = [.apacheBasic, .apacheDigest, .apacheNTLM]
        package static let lighttpd: [Kind] = [.lighttpdBasic, .lighttpdDigest, .lighttpdSHA256]
        package static let squid: [Kind] = [.squidBasic, .squidDigest, .squidNTLM]
        /// The servers and proxies at which each client is tested.
        package static let matrix: [Kind] = apache + lighttpd + [.nginxBasic] + squid

        package var scheme: AuthenticationScheme {
            switch self {
            case .apacheBasic, .lighttpdBasic, .nginxBasic, .squidBasic: .basic
            case .apacheDigest, .lighttpdDigest, .lighttpdSHA256, .squidDigest: .digest
            case .apacheNTLM, .squidNTLM, .squidDirectory: .ntlm
            }
        }

        /// The script in `Tests/Servers`.
        private var script: String {
            switch self {
            case .apacheBasic, .apacheDigest, .apacheNTLM: "apache-guarded"
            case .lighttpdBasic, .lighttpdDigest, .lighttpdSHA256: "lighttpd-guarded"
            case .nginxBasic: "nginx-guarded"
            case .squidBasic, .squidDigest, .squidNTLM, .squidDirectory: "squid-guarded"
            }
        }

        /// How Squid checks passwords; `nil` for origin servers.
        private var proxyKind: String? {
            switch self {
            case .squidBasic: "basic"
            case .squidDigest: "digest"
            case .squidNTLM: "ntlm"
            case .squidDirectory: "directory"
            default: nil
            }
        }

        fileprivate var program: GuardedScript.Program { .init(name: script, proxyKind: proxyKind) }
        fileprivate var isProxy: Bool { proxyKind != nil }

        package var testDescription: String { rawValue }
    }

    package static let password = "Correct-Horse"
    /// The number of pages that every user may see.
    package static let pageCount = 128

    package let kind: Kind
    private let script: GuardedScript

    /// A server that no other test has now. It is got on a thread of its own, because a start blocks.
    package static func started(_ kind: Kind) async throws -> GuardedServer {
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try GuardedServer(kind) }
    }

    package init(_ kind: Kind) throws {
        self.kind = kind
        script = try GuardedScript.take(kind.program)
    }

    deinit {
        // A domain controller may have locked the account.
        if kind != .squidDirectory { GuardedScript.giveBack(script) }
    }

    // MARK: What happens on the server

    /// Changes the password of `jdoe`.
    package func change(to password: String) throws { try script.change(to: password) }

    /// The bad log-ons since the last call; the first call counts from the start of the test.
    package func takeBadLogOns() throws -> Int { try script.takeBadLogOns() }

    /// `badPwdCount` of `jdoe` at a domain controller, and whether the account is locked.
    package func directoryState() throws -> (badLogOns: Int, isLocked: Bool) {
        let words = try script.ask("directory jdoe").split(separator: " ")
        guard words.count == 2, let count = Int(words[0]) else { throw PeerFailure(what: "the state is \(words)") }
        return (count, words[1] == "locked")
    }

    // MARK: Where

    /// Whether requests pass the server on their way to another one.
    package var isProxy: Bool { kind.isProxy }

    /// The server, or the proxy.
    package func address(host: String = "localhost") throws -> Origin {
        try Origin(parsing: "http://\(host):\(script.port)")
    }

    /// The open server behind a proxy.
    package var openOrigin: Origin { get throws { try Origin(parsing: "http://127.0.0.1:\(script.openPort)") } }

    /// The path of the page with a number that every user may see.
    package func page(_ number: Int) -> String { path("p\(number % Self.pageCount)") }

    /// The path of the page that only `ada` may see.
    package var forbiddenPage: String { path("secret") }

    /// The path of a page that every user may see, and that leads to `/there` at another server; not at a proxy.
    package func page(leadingTo other: Origin) -> String { path("away/\(other.port)") }

    private func path(_ name: String) -> String {
        if isProxy { return "/\(name)" }
        if kind == .lighttpdSHA256 { return "/sha256/\(name)" }
        return switch kind.scheme {
        case .basic: "/basic/\(name)"
        case .digest: "/digest/\(name)"
        default: "/ntlm/\(name)"
        }
    }

    // MARK: Handlers

    /// A handler with one account, `jdoe`, for the sites of `rule`.
    ///
    /// - Parameter domain: the domain of the account; NTLM has one always.
    package func handler(
        password: String = GuardedServer.password,
        host: String = "localhost",
        domain: String? = nil,
        lockout: LockoutRules = LockoutRules()
    ) throws -> ChallengeHandler {
        let rule = "http://\(host):\(script.port)"
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: domain ?? (kind.scheme == .ntlm ? ServerScript.domain : nil),
            password: SharedSecret(utf8: password)
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rule, name: "live"),
            schemes: [kind.scheme],
            accounts: [.init(account, sites: [rule], allowsCleartext: kind.scheme == .basic)],
            lockout: lockout
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }
}
