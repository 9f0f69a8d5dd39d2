@testable import AllowedSites

/// What each program does with its list, said with string searches, apart from our readers and writers.
///
/// Hosts are names and dotted IPv4 addresses in lower case; networks are those of IPv4. `DialectProgramTests` ask the programs
/// themselves, networks of IPv6 included.
struct NaiveDialects {
    let dialect: SiteDialect
    let entries: [String]
    /// Whether an entry that programs of one dialect read differently means the most that one of them reads.
    let isWidest: Bool

    init(_ dialect: SiteDialect, _ text: String, isWidest: Bool = false) {
        self.dialect = dialect
        self.isWidest = isWidest
        switch dialect {
        case .windowsZones, .apple: entries = text.split(separator: "\n").map(String.init)
        case .squid: entries = text.split { $0 == "\n" || $0 == " " }.map(String.init)
        case .chromium, .firefox, .noProxy: entries = text.split { $0 == "," || $0 == " " }.map(String.init)
        }
    }

    func allows(scheme: String, host: String, port: Int) -> Bool {
        if dialect == .windowsZones { return zone(scheme, host) == 1 }
        return entries.contains { matches($0, scheme, host, port) }
    }

    private func matches(_ entry: String, _ scheme: String, _ host: String, _ port: Int) -> Bool {
        var pattern = entry
        if dialect == .chromium || dialect == .firefox {
            let pieces = pattern.components(separatedBy: "://")
            if pieces.count == 2 {
                guard pieces[0] == scheme else { return false }
                pattern = pieces[1]
            }
        }
        if dialect == .chromium || dialect == .noProxy, pattern.contains("/") {
            // A network keeps the scheme before it, and has no port.
            return Self.network(pattern, contains: host)
        }
        if dialect != .squid, dialect != .apple {
            let pieces = pattern.components(separatedBy: ":")
            if pieces.count == 2 {
                guard pieces[1] == String(port) else { return false }
                pattern = pieces[0]
            }
        }
        switch dialect {
        case .chromium: return Self.glob(pattern.hasPrefix(".") ? "*" + pattern : pattern, host)
        case .firefox, .noProxy:
            if dialect == .noProxy, pattern.hasPrefix("*.") { pattern.removeFirst() }
            // curl and Python read ".host" as the host too, Go does not.
            if dialect == .noProxy, isWidest, "." + host == pattern { return true }
            if pattern.hasPrefix(".") { return host.hasSuffix(pattern) && host.count > pattern.count }
            return host == pattern || host.hasSuffix("." + pattern)
        case .squid: return pattern.hasPrefix(".") ? ("." + host).hasSuffix(pattern) : host == pattern
        case .apple: return pattern.hasPrefix(".") ? host.hasSuffix(pattern) : host == pattern
        case .windowsZones: return false
        }
    }

    /// The zone of the most specific entry; the apex of a wildcard is taken to be part of it, which is the wider reading.
    private func zone(_ scheme: String, _ host: String) -> Int? {
        var best: (length: Int, zone: Int)?
        for entry in entries {
            let words = entry.split(separator: "\t").map(String.init)
            let pieces = words[0].components(separatedBy: "://")
            guard pieces.count == 1 || pieces[0] == "*" || pieces[0] == scheme else { continue }
            var pattern = pieces[pieces.count - 1]
            var length = 1000
            if pattern.hasPrefix("*.") {
                pattern = String(pattern.dropFirst(2))
                guard host == pattern || host.hasSuffix("." + pattern) else { continue }
                length = pattern.count
            } else if host != pattern {
                continue
            }
            // An entry that denies wins over one of the same length.
            let zone = Int(words[1]) ?? 4
            let isBetter = best.map { ($0.length, $0.zone) < (length, zone) } ?? true
            if isBetter {
                best = (length, zone)
            }
        }
        return best?.zone
    }

    private static func network(_ pattern: String, contains host: String) -> Bool {
        func bits(_ address: Substring) -> String? {
            let octets = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
            guard octets.count == 4, !octets.contains(nil) else { return nil }
            return octets.map { octet in
                let digits = String(octet ?? 0, radix: 2)
                return String(repeating: "0", count: 8 - digits.count) + digits
            }.joined()
        }
        let pieces = pattern.split(separator: "/")
        guard pieces.count == 2, let length = Int(pieces[1]), let own = bits(pieces[0]), let other = bits(host[...])
        else {
            return false
        }
        return own.prefix(length) == other.prefix(length)
    }

    private static func glob(_ pattern: String, _ text: String) -> Bool {
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard pieces.count > 1 else { return pattern == text }
        var rest = text[...]
        guard rest.hasPrefix(pieces[0]) else { return false }
        rest = rest.dropFirst(pieces[0].count)
        for piece in pieces[1..<(pieces.count - 1)] where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(pieces[pieces.count - 1])
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        var pieces: [String] = []
        var rest = self[...]
        while let found = rest.firstRange(of: separator) {
            pieces.append(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return pieces + [String(rest)]
    }
}
