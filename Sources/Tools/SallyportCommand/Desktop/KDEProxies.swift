internal import AllowedSites
internal import SallyportRelay

/// KDE's setting: what ``KDESettingFiles`` says of proxies.
///
/// | `ProxyType` | the proxies are |
/// |---|---|
/// | 0 | none |
/// | 1 | those of `httpProxy`, `httpsProxy` and `socksProxy` |
/// | 2 | chosen by the PAC file of `Proxy Config Script` |
/// | 3 | chosen by the PAC file that WPAD finds |
/// | 4 | those of the variables that `httpProxy` and the others name |
struct KDEProxies {
    private let values: [String: String]
    private let environment: [String: String]

    /// - Parameters:
    ///   - values: the keys of the group `Proxy Settings`.
    ///   - environment: has the variables that the setting may name.
    init(_ values: [String: String], environment: [String: String]) {
        (self.values, self.environment) = (values, environment)
    }

    /// - Throws: ``DesktopProblem``.
    func choice(warn: (String) -> Void) throws(DesktopProblem) -> DesktopSetting.Choice {
        switch values["ProxyType"] ?? "0" {
        case "0": return .proxies(DesktopProxies())
        case "1": return .proxies(try proxies(warn, areReversed: isReversed) { values[$0] })
        case "2":
            guard let script = values["Proxy Config Script"], !script.isEmpty else {
                throw problem(
                    "ProxyType is 2, and 'Proxy Config Script' names no PAC file: name one in System Settings"
                )
            }
            return .script(script)
        case "3": return .search
        case "4": return .proxies(try proxies(warn, areReversed: false) { values[$0].flatMap { environment[$0] } })
        default: throw problem("ProxyType is none of 0 to 4: choose the proxy in System Settings")
        }
    }

    private var isReversed: Bool {
        let value = values["ReversedException"] ?? ""
        return value == "true" || Int(value).map { $0 != 0 } == true
    }

    private func proxies(
        _ warn: (String) -> Void,
        areReversed: Bool,
        _ value: (String) -> String?
    ) throws(DesktopProblem) -> DesktopProxies {
        var proxies = DesktopProxies()
        proxies.forHTTP = try proxy("httpProxy", value)
        proxies.forHTTPS = try proxy("httpsProxy", value)
        proxies.socks = try proxy("socksProxy", value)
        let entries = (value("NoProxyFor") ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
        do throws(SiteListError) {
            proxies.exceptions = try DesktopProxies.Exceptions(entries, knowsLocal: true, warn: warn)
        } catch {
            throw problem("NoProxyFor: \(error)")
        }
        proxies.exceptions.areReversed = areReversed
        return proxies
    }

    /// `http://proxy.example 8080`, or with a colon before the port.
    private func proxy(_ key: String, _ value: (String) -> String?) throws(DesktopProblem) -> RelayParent? {
        let words = (value(key) ?? "").split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { return nil }
        var text = String(first.hasSuffix("/") ? first.dropLast() : first)
        if words.count == 2 { text += ":\(words[1])" }
        if text.hasPrefix("socks://") {
            text = "socks5" + text.dropFirst("socks".count)
        } else if key == "socksProxy", !text.contains("://") {
            text = "socks5://\(text)"
        }
        return try RelayParent(text, of: key, .kde)
    }

    private func problem(_ text: String) -> DesktopProblem { DesktopProblem(.kde, text) }
}
