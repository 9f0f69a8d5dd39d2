internal import AllowedSites
internal import SallyportRelay

/// GNOME's setting: the schema `org.gnome.system.proxy`, as the program `gsettings` prints it.
///
/// It is read as GLib reads it: a scheme without a proxy of its own uses that of http, and after it that of SOCKS; `use-same-proxy` and
/// `enabled` do not count. The user and the password of `http` are not used.
struct GNOMEProxies {
    static let schema = "org.gnome.system.proxy"

    /// The texts of the values, by the name of the key: `mode`, `http host`.
    private let values: [String: Substring]

    /// - Parameter output: what `gsettings list-recursively` prints: schema, key and value in each line.
    init(_ output: String) {
        var values: [String: Substring] = [:]
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0].hasPrefix(Self.schema) else { continue }
            let child = words[0].dropFirst(Self.schema.count).drop { $0 == "." }
            values[child.isEmpty ? String(words[1]) : "\(child) \(words[1])"] = words[2]
        }
        self.values = values
    }

    /// - Throws: ``DesktopProblem``.
    func choice(warn: (String) -> Void) throws(DesktopProblem) -> DesktopSetting.Choice {
        switch try string("mode") {
        case "none": return .proxies(DesktopProxies())
        case "auto":
            let url = try string("autoconfig-url")
            return url.isEmpty ? .search : .script(url)
        case "manual": return .proxies(try manual(warn))
        default: throw unreadable("mode")
        }
    }

    private func manual(_ warn: (String) -> Void) throws(DesktopProblem) -> DesktopProxies {
        var proxies = DesktopProxies()
        proxies.forHTTP = try proxy("http", scheme: "http")
        proxies.forHTTPS = try proxy("https", scheme: "http") ?? proxies.forHTTP
        proxies.socks = try proxy("socks", scheme: "socks5")
        guard let text = values["ignore-hosts"], let hosts = GVariantText.strings(text) else {
            throw unreadable("ignore-hosts")
        }
        // GLib takes the host itself, too, which NO_PROXY leaves out here.
        let entries = hosts.map {
            $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0.hasPrefix(".") ? String($0.dropFirst()) : $0
        }
        do throws(SiteListError) {
            proxies.exceptions = try DesktopProxies.Exceptions(entries, knowsLocal: false, warn: warn)
        } catch {
            throw DesktopProblem(.gnome, "ignore-hosts: \(error)")
        }
        return proxies
    }

    private func proxy(_ name: String, scheme: String) throws(DesktopProblem) -> RelayParent? {
        let host = try string("\(name) host")
        guard !host.isEmpty else { return nil }
        guard let port = values["\(name) port"], port != "0" else {
            throw DesktopProblem(.gnome, "\(Self.schema).\(name) has a host without a port: set its port")
        }
        let isBare = host.contains(":") && !host.hasPrefix("[")
        return try RelayParent(
            "\(scheme)://\(isBare ? "[\(host)]" : host):\(port)",
            of: "\(Self.schema).\(name)",
            .gnome
        )
    }

    private func string(_ key: String) throws(DesktopProblem) -> String {
        guard let text = values[key], let value = GVariantText.string(text) else { throw unreadable(key) }
        return value
    }

    private func unreadable(_ key: String) -> DesktopProblem {
        DesktopProblem(
            .gnome,
            "gsettings prints no usable value of '\(key)': run 'gsettings list-recursively \(Self.schema)', or name the proxy with another option"
        )
    }
}
