internal import AllowedSites
internal import CredentialSources
internal import Foundation
internal import Hostnames
internal import Secrets

/// Which proxy a request goes through: that of `--proxy`, or that of the environment.
///
/// The environment is read as curl reads it: `http_proxy` for http (in lower case only, because a server can be made to set
/// `HTTP_PROXY`), `https_proxy` or `HTTPS_PROXY` for https, otherwise `all_proxy` or `ALL_PROXY`; `no_proxy` or `NO_PROXY` names the hosts
/// that are reached directly. An empty variable does not count. An http proxy without a port is at 1080.
struct ProxyChoice: Sendable {
    /// One proxy.
    struct Proxy: Sendable {
        let origin: Origin
        /// The option or variable that named it.
        let place: String
        /// The user and the password that a variable holds.
        let login: (user: String, password: SharedSecret)?
    }

    /// The port of an http proxy that is named without one.
    static let portWithoutTLS = 1080

    private let forHTTP: Proxy?
    private let forHTTPS: Proxy?
    private let exceptions: SiteTrie?
    private let isNeverUsed: Bool
    /// The variable that named the exceptions.
    let placeOfExceptions: String?

    /// - Parameters:
    ///   - option: the value of `--proxy`, which counts for each URL; `nil` for the environment's, and empty for no proxy.
    ///   - isDirect: whether no proxy is used.
    init(
        option: String?,
        isDirect: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RequestProblem) {
        if isDirect || option != nil {
            let isDirect = isDirect || option?.isEmpty == true
            let proxy = try option.flatMap { $0.isEmpty ? nil : $0 }.map { text throws(RequestProblem) in
                try Self.proxy(text, of: "--proxy")
            }
            (forHTTP, forHTTPS, exceptions, isNeverUsed, placeOfExceptions) = (proxy, proxy, nil, isDirect, nil)
            return
        }
        let find = { (names: [String]) in
            names.lazy.compactMap { name in environment[name].flatMap { $0.isEmpty ? nil : (name, $0) } }.first
        }
        let read = { (names: [String]) throws(RequestProblem) -> Proxy? in
            guard let (name, value) = find(names) else { return nil }
            return try Self.proxy(value, of: name)
        }
        forHTTP = try read(["http_proxy", "all_proxy", "ALL_PROXY"])
        forHTTPS = try read(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])
        guard let (name, value) = find(["no_proxy", "NO_PROXY"]) else {
            (exceptions, isNeverUsed, placeOfExceptions) = (nil, false, nil)
            return
        }
        placeOfExceptions = name
        isNeverUsed = value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces) == "*" }
        do throws(SiteListError) {
            let list = try SiteDialect.noProxy.read(value, name: name, allowingPublicSuffix: true).list
            exceptions = SiteTrie(compiling: list)
        } catch {
            throw .noProxy(place: name, reason: "\(error)")
        }
    }

    /// The proxy of `--proxy`, or of the variable for https.
    var named: Proxy? { forHTTPS }

    /// The proxy for an origin; `nil` for a direct connection.
    func proxy(for origin: Origin) -> Proxy? {
        guard !isNeverUsed, let proxy = origin.scheme == .http ? forHTTP : forHTTPS else { return nil }
        return isException(origin) ? nil : proxy
    }

    /// Whether the environment excepts an origin from its proxy.
    func isException(_ origin: Origin) -> Bool {
        isNeverUsed || exceptions?.verdict(for: origin, path: "/").isAllowed == true
    }

    /// Those of http and of https.
    var all: [Proxy] { isNeverUsed ? [] : [forHTTP, forHTTPS].compactMap(\.self) }

    /// All proxies that have a user and a password.
    var withLogin: [Proxy] {
        var found: [Proxy] = []
        for proxy in [forHTTP, forHTTPS].compactMap(\.self) where proxy.login != nil {
            if !found.contains(where: { $0.origin == proxy.origin }) { found.append(proxy) }
        }
        return found
    }

    private static func proxy(_ text: String, of place: String) throws(RequestProblem) -> Proxy {
        var text = text.contains("://") ? text : "http://\(text)"
        if text.hasSuffix("/"), !text.hasSuffix("//") { text.removeLast() }
        // An empty port is the same as none.
        if text.hasSuffix(":") { text.removeLast() }
        let start = text.range(of: "://")?.upperBound ?? text.startIndex
        var login: (user: String, password: SharedSecret)?
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") {
            guard !place.hasPrefix("--") else { throw .userInURL(option: place) }
            login = try self.login(text[start..<at], of: place)
            text.removeSubrange(start...at)
        }
        guard ["http", "https"].contains(text[..<start].lowercased().dropLast(3)) else {
            throw .proxyScheme(place: place)
        }
        let server = text[(text.range(of: "://")?.upperBound ?? text.startIndex)...].prefix { $0 != "/" }
        // An address of IPv6 has colons of its own, in brackets.
        let hasPort = server[(server.lastIndex(of: "]") ?? server.startIndex)...].contains(":")
        if !hasPort, text[..<start].lowercased() == "http://" {
            text.insert(contentsOf: ":\(portWithoutTLS)", at: server.endIndex)
        }
        do throws(OriginError) {
            return Proxy(origin: try Origin(parsing: text), place: place, login: login)
        } catch {
            throw .proxy(place: place, error)
        }
    }

    /// `user:password` with percent escapes; a user alone needs another source for its password.
    private static func login(
        _ text: Substring,
        of place: String
    ) throws(RequestProblem) -> (user: String, password: SharedSecret)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        guard let user = String(parts[0]).removingPercentEncoding,
            let password = String(parts[1]).removingPercentEncoding
        else { throw .proxyLogin(place: place) }
        return (user, SharedSecret(utf8: password))
    }
}
