internal import Hostnames

extension RelayRoute {
    /// Reads what `FindProxyForURL` returns: `PROXY a.example:8080; SOCKS5 b.example:1080; DIRECT`.
    ///
    /// - Entries that are not known are left out, because browsers do so, and a later entry may be usable.
    /// - An empty answer means DIRECT.
    /// - `SOCKS` alone means version 4 in some programs and version 5 in others. It is read as version 5: version 4 leaves the names to
    ///   the client, and the relay resolves none for a proxy.
    /// - A proxy without a port gets that of browsers: 80, 443 for HTTPS, 1080 for SOCKS.
    static func list(parsing answer: String) -> [RelayRoute] {
        let entries = answer.split(whereSeparator: { $0 == ";" || $0 == "," }).map {
            $0.split(whereSeparator: \.isWhitespace)
        }
        .filter { !$0.isEmpty }
        if entries.isEmpty { return [.direct] }
        var choices: [RelayRoute] = []
        for entry in entries {
            guard let choice = choice(entry), !choices.contains(choice) else { continue }
            choices.append(choice)
            if choices.count == ProxyScriptLimits.choices { break }
        }
        return choices
    }

    private static func choice(_ entry: [Substring]) -> RelayRoute? {
        let kind = entry[0].uppercased()
        if kind == "DIRECT" { return entry.count == 1 ? .direct : nil }
        guard entry.count == 2 else { return nil }
        let (scheme, port): (Scheme, UInt16)
        switch kind {
        case "PROXY", "HTTP": (scheme, port) = (.http, 80)
        case "HTTPS": (scheme, port) = (.https, 443)
        case "SOCKS", "SOCKS5": (scheme, port) = (.http, 1080)
        default: return nil
        }
        // The default port of the origin's scheme is left out in its text, so the port is looked for in the entry.
        guard let origin = try? Origin(scheme: scheme, authority: entry[1]) else { return nil }
        let hasPort = entry[1].last?.isNumber == true && entry[1].contains(":") && !entry[1].hasSuffix("]")
        let placed = hasPort ? origin : Origin(scheme: scheme, host: origin.host, port: port)
        return .proxy(kind.hasPrefix("SOCKS") ? RelayParent(socks5: placed) : RelayParent(placed))
    }
}
