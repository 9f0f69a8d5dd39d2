internal import AllowedSites
internal import HTTPAuthentication
internal import HTTPTypes
internal import Hostnames
internal import Secrets

/// What stands in a transcript for hosts, users and accounts: their names, or pseudonyms that keep what decisions depend on.
///
/// A pseudonym of a host name has one label for each label, so that `*.acme.example` still covers `wiki.acme.example`. A pseudonym of
/// an address keeps common prefixes, so that networks still cover their addresses: each bit is flipped by a hash of the bits before
/// it (the method of Crypto-PAn).
struct TranscriptNames: Sendable {
    /// `nil` keeps the names.
    private let key: TranscriptKey?

    init(_ names: Transcript.Names) {
        switch names {
        case .kept: key = nil
        case .pseudonyms(let key): self.key = key
        }
    }

    var areKept: Bool { key == nil }

    // MARK: - Hosts

    func origin(_ origin: Origin) -> String {
        guard key != nil else { return "\(origin)" }
        return "\(Origin(scheme: origin.scheme, host: pseudonym(of: origin.host), port: origin.port))"
    }

    func host(_ host: Hostname) -> String { key == nil ? "\(host)" : "\(pseudonym(of: host))" }

    /// The same for the text of a host.
    func hostText(_ text: String) -> String {
        guard key != nil else { return text }
        guard let origin = try? Origin(parsing: "http://\(text)") else { return hashed("host", text) }
        return host(origin.host)
    }

    private func pseudonym(of host: Hostname) -> Hostname {
        switch host.form {
        case .name:
            let origin = try? Origin(parsing: "http://\(dotted("\(host)"))")
            return origin?.host ?? host
        case .ipv4(let address): return Hostname(form: .ipv4(IPv4Address(rawValue: shuffled(address.rawValue))))
        case .ipv6(let address): return Hostname(form: .ipv6(IPv6Address(rawValue: shuffled(address.rawValue))))
        }
    }

    /// A rule of the allowed-site language with pseudonyms in place of its host.
    func rule(_ text: String) -> String {
        guard key != nil else { return text }
        guard let rule = try? SiteRule(parsing: text, allowingPublicSuffix: true) else { return hashed("rule", text) }
        let place: SiteRule.Place =
            switch rule.place {
            case .name(let name): .name(Array(dotted(String(decoding: name, as: UTF8.self)).utf8))
            case .below(let name): .below(Array(dotted(String(decoding: name, as: UTF8.self)).utf8))
            case .ipv4(let network):
                .ipv4(IPNetwork(containing: shuffled(network.address), length: network.length))
            case .ipv6(let network):
                .ipv6(IPNetwork(containing: shuffled(network.address), length: network.length))
            }
        let renamed = SiteRule(
            isException: rule.isException,
            schemes: rule.schemes,
            place: place,
            port: rule.port,
            path: rule.path
        )
        return "\(renamed)"
    }

    /// The longest host name (RFC 1035 section 2.3.4).
    private static let longestName = 253

    /// A name whose labels have pseudonyms. Labels are a letter and hexadecimal digits, so that every name of them is a host name.
    private func dotted(_ name: String) -> String {
        let labels = name.lowercased().split(separator: ".").map { "n" + hashed("label", String($0)) }
        let joined = labels.joined(separator: ".")
        return joined.utf8.count <= Self.longestName ? joined : "n" + hashed("name", name)
    }

    // MARK: - Accounts

    func account(_ name: String) -> String { key == nil ? name : "account-" + hashed("account", name) }

    func user(_ user: String) -> String {
        guard key != nil else { return user }
        // A realm makes an account one of a directory, so it stays one.
        guard let at = user.lastIndex(of: "@") else { return "user-" + hashed("user", user.lowercased()) }
        let name = user[..<at].lowercased()
        return "user-" + hashed("user", name) + "@" + dotted(String(user[user.index(after: at)...]))
    }

    func domain(_ domain: String) -> String {
        guard key != nil, !domain.isEmpty else { return domain }
        return domain.contains(".") ? dotted(domain) : "D" + hashed("domain", domain.lowercased())
    }

    /// A text of a server, such as a realm.
    func serverText(_ text: String) -> String { key == nil ? text : "text-" + hashed("text", text) }

    // MARK: - Hashes

    /// Hexadecimal digits of a pseudonym.
    private static let digits = 10

    private func hashed(_ kind: String, _ text: String) -> String {
        let bytes = digest("\(kind):\(text)").prefix(Self.digits / 2)
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func digest(_ text: String) -> [UInt8] {
        guard let key else { return [UInt8](repeating: 0, count: HMACSHA256.byteCount) }
        return key.key.withBytes { HMACSHA256.code(of: Array(text.utf8).span, key: $0) }
    }

    /// The address with each bit flipped or not, by a hash of the bits before it.
    private func shuffled<Address: FixedWidthInteger & UnsignedInteger>(_ address: Address) -> Address {
        var result: Address = 0
        for bit in 0..<Address.bitWidth {
            let before = bit == 0 ? 0 : address >> Address(Address.bitWidth - bit)
            let flip = Address(digest("bit:\(Address.bitWidth):\(bit):\(before)")[0] & 1)
            result = result << 1 | (address >> Address(Address.bitWidth - 1 - bit) & 1 ^ flip)
        }
        return result
    }
}
