import AllowedSites
import Credentials
import HTTPAuthentication
import Hostnames
import Sallyport
import Secrets
import Testing

/// A server that counts bad log-ons. It knows `jdoe` and `ada`, and lets only `ada` see one of its pages.
final class GuardedServer {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case apacheBasic, apacheDigest, apacheNTLM
        case lighttpdBasic, lighttpdDigest
        case nginxBasic
        case squidBasic, squidDigest, squidNTLM, squidDirectory

        static let apache: [Kind] = [.apacheBasic, .apacheDigest, .apacheNTLM]
        static let lighttpd: [Kind] = [.lighttpdBasic, .lighttpdDigest]
        static let squid: [Kind] = [.squidBasic, .squidDigest, .squidNTLM]

        var scheme: AuthenticationScheme {
            switch self {
            case .apacheBasic, .lighttpdBasic, .nginxBasic, .squidBasic: .basic
            case .apacheDigest, .lighttpdDigest, .squidDigest: .digest
            case .apacheNTLM, .squidNTLM, .squidDirectory: .ntlm
            }
        }

        /// The script in `Tests/Servers`.
        fileprivate var script: String {
            switch self {
            case .apacheBasic, .apacheDigest, .apacheNTLM: "apache-guarded"
            case .lighttpdBasic, .lighttpdDigest: "lighttpd-guarded"
            case .nginxBasic: "nginx-guarded"
            case .squidBasic, .squidDigest, .squidNTLM, .squidDirectory: "squid-guarded"
            }
        }

        /// How Squid checks passwords; `nil` for origin servers.
        fileprivate var proxyKind: String? {
            switch self {
            case .squidBasic: "basic"
            case .squidDigest: "digest"
            case .squidNTLM: "ntlm"
            case .squidDirectory: "directory"
            default: nil
            }
        }

        var testDescription: String { rawValue }
    }

    static let password = "Correct-Horse"
    /// The number of pages that every user may see.
    static let pageCount = 128

    let kind: Kind
    private let process: HelperProcess
    /// The port of the origin server or the proxy.
    private let port: UInt16
    /// The open origin server behind a proxy; 0 without one.
    private let openPort: UInt16

    init(_ kind: Kind) throws {
        self.kind = kind
        port = try ByteStream.freePort()
        var arguments = ["\(port)"]
        openPort = try kind.proxyKind == nil ? 0 : ByteStream.freePort()
        if let proxyKind = kind.proxyKind { arguments = [proxyKind, "\(port)", "\(openPort)"] }
        if kind.script != "lighttpd-guarded", kind.script != "nginx-guarded" { arguments.append(ServerScript.domain) }
        process = try HelperProcess(
            [Script.server(kind.script)] + arguments + ["jdoe:\(Self.password),ada:Other-Horse"]
        )
        let line: String
        do { line = try process.readLine() } catch { throw PeerFailure(what: "\(kind.script) did not start: \(error)") }
        guard line == "ready" else { throw PeerFailure(what: "\(kind.script) said \(line.debugDescription)") }
    }

    // MARK: What happens on the server

    /// Changes the password of `jdoe`.
    func change(to password: String) throws {
        let answer = try process.ask("password jdoe \(password)")
        guard answer == "done" else { throw PeerFailure(what: "the password was not changed: \(answer)") }
    }

    /// The bad log-ons since the last call; the first call counts from the start.
    func takeBadLogOns() throws -> Int {
        let answer = try process.ask("count")
        guard let count = Int(answer) else { throw PeerFailure(what: "the count is \(answer.debugDescription)") }
        defer { counted = count }
        return count - counted
    }

    private var counted = 0

    /// `badPwdCount` of `jdoe` at a domain controller, and whether the account is locked.
    func directoryState() throws -> (badLogOns: Int, isLocked: Bool) {
        let words = try process.ask("directory jdoe").split(separator: " ")
        guard words.count == 2, let count = Int(words[0]) else { throw PeerFailure(what: "the state is \(words)") }
        return (count, words[1] == "locked")
    }

    // MARK: Requests

    /// The page with a number that every user may see.
    func page(_ number: Int, host: String = "localhost") throws -> LiveRequest {
        try request("p\(number % Self.pageCount)", host: host)
    }

    /// Whether requests pass the server on their way to another one.
    var isProxy: Bool { kind.proxyKind != nil }

    /// A tunnel through a proxy.
    func tunnel() throws -> LiveRequest {
        LiveRequest(
            tunnelTo: try Origin(parsing: "http://127.0.0.1:\(openPort)"),
            through: try Origin(parsing: "http://localhost:\(port)")
        )
    }

    /// The page that only `ada` may see.
    func forbiddenPage() throws -> LiveRequest { try request("secret") }

    private func request(_ name: String, host: String = "localhost") throws -> LiveRequest {
        if isProxy {
            let origin = try Origin(parsing: "http://127.0.0.1:\(openPort)")
            return LiveRequest("/\(name)", at: origin, through: try Origin(parsing: "http://localhost:\(port)"))
        }
        let folder =
            switch kind.scheme {
            case .basic: "basic"
            case .digest: "digest"
            default: "ntlm"
            }
        return LiveRequest("/\(folder)/\(name)", at: try Origin(parsing: "http://\(host):\(port)"))
    }

    // MARK: Handlers

    /// A handler with one account, `jdoe`, for the sites of `rule`.
    ///
    /// - Parameter domain: the domain of the account; NTLM has one always.
    func handler(
        password: String = GuardedServer.password,
        host: String = "localhost",
        domain: String? = nil
    ) throws -> ChallengeHandler {
        let rule = "http://\(host):\(port)"
        let account = Account(
            name: "account",
            user: "jdoe",
            domain: domain ?? (kind.scheme == .ntlm ? ServerScript.domain : nil),
            password: SharedSecret(utf8: password)
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: rule, name: "live"),
            schemes: [kind.scheme],
            accounts: [.init(account, sites: [rule], allowsCleartext: kind.scheme == .basic)]
        )
        return try ChallengeHandler(profile: profile, at: 0)
    }
}
