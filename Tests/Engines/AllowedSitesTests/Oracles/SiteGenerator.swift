import TestSupport

/// Makes small worlds of rules and requests that meet often: few hosts, nested wildcards and networks, odd paths.
struct SiteGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private static let names = [
        "host.example", "a.host.example", "b.a.host.example", "c.b.a.host.example", "xhost.example", "evilhost.example",
        "x.xhost.example", "example", "host.example.net", "xn--mnchen-3ya.host.example", "10.host.example",
    ]
    private static let ipv4: [[UInt8]] = [
        [10, 1, 2, 3], [10, 1, 2, 4], [10, 200, 0, 0], [192, 0, 2, 1], [10, 0, 0, 0],
    ]
    private static let ipv6: [[UInt16]] = [
        [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1], [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1], [0x2001, 0xdb8, 0x8000, 0, 0, 0, 0, 0],
        [0xfe80, 0, 0, 0, 0, 0, 0, 0xa01], [0, 0, 0, 0, 0, 0, 0xa01, 0x203],
    ]
    private static let rulePaths = [
        "/", "/a", "/a/", "/a/b", "/a/b/c", "/A", "/%61/b", "/a@b", "/a%40b", "/a/b%20c", "/%C3%BC", "/ab", "/a.b",
    ]
    private static let pathPieces = [
        "/", "/", "/", "/", "a", "a", "b", "c", "A", "..", ".", "%2e", "%2E", "%2F", "%2f", "%5c", ";", ";v=1", "%61",
        "%62",
        "%", "%4", "%zz", "?q=/a", "#", "@", "%40", "%20", "%C3%BC", "%c0%af", "%e0%80%af", "%f0%80", "%e0%a0%80",
        "%00",
        "%25", "%3b", "/a/b", "/a/b/c", "/ab",
    ]

    mutating func flip(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }

    private mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    /// A rule and one of its spellings.
    mutating func rule() -> (rule: NaiveRule, text: String) {
        var text = ""
        var rule = NaiveRule(host: .name(""))
        if flip(0.3) {
            rule.isException = true
            text += "!"
        }
        if flip(0.5) {
            let scheme = pick(["http", "https", "*"])
            rule.scheme = scheme
            text += spelled(scheme) + "://"
        }
        var isBareAddress = false
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let length = pick([0, 1, 8, 9, 16, 24, 30, 31, 32])
            let bits = Self.bits(pick(Self.ipv4))
            rule.host = .bits("4" + bits.prefix(length))
            text += Self.ipv4Text(bits.prefix(length) + String(repeating: "0", count: 32 - length))
            isBareAddress = length == 32 && flip(0.5)
            if !isBareAddress { text += "/\(length)" }
        case 1:
            let length = pick([0, 3, 32, 33, 47, 64, 127, 128])
            let bits = Self.bits(pick(Self.ipv6))
            rule.host = .bits("6" + bits.prefix(length))
            text += "[" + ipv6Text(bits.prefix(length) + String(repeating: "0", count: 128 - length)) + "]"
            isBareAddress = length == 128 && flip(0.5)
            if !isBareAddress { text += "/\(length)" }
        default:
            let name = pick(Self.names)
            rule.host = .name(name)
            rule.isWildcard = flip(0.5)
            text += (rule.isWildcard ? "*." : "") + spelled(name) + (flip(0.1) ? "." : "")
        }
        if flip(0.4) {
            let port = pick(["*", "443", "80", "8443"])
            rule.port = port
            text += ":" + port
        }
        if flip(0.5) {
            let path = pick(Self.rulePaths)
            rule.path = path
            text += path
        }
        return (rule, text)
    }

    /// A request, and the host as somebody may spell it.
    mutating func request() -> (request: NaiveRequest, host: String) {
        let scheme = pick(["http", "https", "https"])
        var request = NaiveRequest(scheme: scheme, host: .name(""), port: scheme == "https" ? 443 : 80, path: "")
        if flip(0.4) { request.port = pick([80, 443, 8443, 8080]) }
        let host: String
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            let bits = Self.bits(pick(Self.ipv4))
            request.host = .bits("4" + bits)
            host = Self.ipv4Text(bits)
        case 1:
            let bits = Self.bits(pick(Self.ipv6))
            request.host = .bits("6" + bits)
            host = "[" + ipv6Text(bits) + "]"
        default:
            let name = (flip(0.3) ? pick(["x.", "y.x.", "a.", "evil"]) : "") + pick(Self.names)
            request.host = .name(name)
            host = spelled(name) + (flip(0.2) ? "." : "")
        }
        if flip(0.9) { request.path = flip(0.5) ? pick(Self.rulePaths) : "/" }
        for _ in 0..<Int.random(in: 0...4, using: &random) { request.path += pick(Self.pathPieces) }
        return (request, host)
    }

    private mutating func spelled(_ text: String) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.uppercased()
        case 1: String(text.prefix(3)).uppercased() + text.dropFirst(3)
        default: text
        }
    }

    private static func bits(_ units: [some FixedWidthInteger]) -> String {
        units.map { unit in
            let digits = String(unit, radix: 2)
            return String(repeating: "0", count: unit.bitWidth - digits.count) + digits
        }.joined()
    }

    private static func ipv4Text(_ bits: String) -> String {
        stride(from: 0, to: 32, by: 8).map { start in
            String(UInt8(bits.dropFirst(start).prefix(8), radix: 2) ?? 0)
        }.joined(separator: ".")
    }

    /// All eight groups, with leading zeros at will; never shortened.
    private mutating func ipv6Text(_ bits: String) -> String {
        let isPadded = flip(0.5)
        return stride(from: 0, to: 128, by: 16).map { start in
            let group = String(UInt16(bits.dropFirst(start).prefix(16), radix: 2) ?? 0, radix: 16)
            return isPadded ? String(repeating: "0", count: 4 - group.count) + group : group
        }.joined(separator: ":")
    }
}
