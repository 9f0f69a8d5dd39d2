public import Hostnames

extension SiteRule {
    /// Parses one rule without comments and surrounding white space.
    ///
    /// - Parameters:
    ///   - text: at most ``maximumLength`` bytes.
    ///   - allowingPublicSuffix: whether a wildcard may be directly above a public suffix, as in `*.com`. If false,
    ///     such a rule is an error; an exception is always accepted, because it only denies.
    ///   - hosts: how hosts are read; `HostReader.ascii` accepts international names only as `xn--` labels.
    /// - Complexity: O(*n*) in the length of `text`.
    /// - Throws: ``SiteRuleError``, with the column and the remedy.
    public init(
        parsing text: some StringProtocol,
        allowingPublicSuffix: Bool = false,
        hosts: HostReader = .ascii
    ) throws(SiteRuleError) {
        let bytes = [UInt8](text.utf8)
        try self.init(parsing: bytes.span, allowingPublicSuffix: allowingPublicSuffix, hosts: hosts)
    }

    init(parsing bytes: Span<UInt8>, allowingPublicSuffix: Bool, hosts: HostReader = .ascii) throws(SiteRuleError) {
        guard bytes.count <= Self.maximumLength else { throw SiteRuleError(.tooLong, at: Self.maximumLength) }
        guard bytes.count == 0 || !ExceptionMark.isOtherMark(bytes, at: 0, end: bytes.count) else {
            throw SiteRuleError(.lookalikeMark, at: 0)
        }
        isException = bytes.count > 0 && bytes[0] == UInt8(ascii: "!")
        var cursor = isException ? 1 : 0
        // A missing part means "all" in an exception and the most restrictive value in an allowing rule.
        schemes = try Self.schemes(bytes, &cursor) ?? (isException ? .both : .https)
        let start = cursor
        place = try Self.place(bytes, &cursor, hosts)
        let hasScheme = start > (isException ? 1 : 0)
        port =
            try Self.port(bytes, &cursor, unlessScheme: hasScheme ? nil : start)
            ?? (isException ? .any : .schemeDefault)
        assert(start < cursor && cursor <= bytes.count, "a host is not empty")
        path = try Self.path(bytes, cursor)
        if case .below(let name) = place, !allowingPublicSuffix, !isException,
            PublicSuffixList.current.areStrangersBelow(name.span, in: 0..<name.count)
        {
            throw SiteRuleError(.wildcardAbovePublicSuffix(String(decoding: name, as: UTF8.self)), at: start)
        }
    }

    /// The schemes that a rule may have before `://`.
    private static let schemeNames: Set = ["https", "http", "*"]

    private static func schemes(_ bytes: Span<UInt8>, _ cursor: inout Int) throws(SiteRuleError) -> Schemes? {
        let slash = first(UInt8(ascii: "/"), bytes, cursor..<bytes.count)
        guard slash > cursor, slash < bytes.count else { return nil }
        let hasColon = bytes[slash - 1] == UInt8(ascii: ":")
        let hasSlashes = slash + 1 < bytes.count && bytes[slash + 1] == UInt8(ascii: "/")
        guard hasColon || hasSlashes else { return nil }
        let name = Self.text(bytes, cursor..<(hasColon ? slash - 1 : slash)).lowercased()
        guard hasColon, hasSlashes else {
            guard !schemeNames.contains(name) else { throw SiteRuleError(.incompleteScheme(name), at: cursor) }
            return nil
        }
        let start = cursor
        cursor = slash + 2
        switch name {
        case "https": return .https
        case "http": return .http
        case "*": return .both
        default: throw SiteRuleError(.unsupportedScheme, at: start)
        }
    }

    private static func place(
        _ bytes: Span<UInt8>,
        _ cursor: inout Int,
        _ hosts: HostReader
    ) throws(SiteRuleError) -> Place {
        let start = cursor
        let limit = first(UInt8(ascii: "/"), bytes, start..<bytes.count)
        let user = first(UInt8(ascii: "@"), bytes, start..<limit)
        guard user == limit else { throw SiteRuleError(.userinfo, at: user) }
        let hasStar = limit - start > 1 && bytes[start] == UInt8(ascii: "*") && bytes[start + 1] == UInt8(ascii: ".")
        let end = Hostname.end(in: bytes, from: hasStar ? start + 2 : start, limit: limit)
        if let mark = (start..<end).first(where: { ExceptionMark.isOtherMark(bytes, at: $0, end: end) }) {
            throw SiteRuleError(.lookalikeMark, at: mark)
        }
        let isWildcard = try isWildcard(bytes, start..<end)
        if end < limit, bytes[start] != UInt8(ascii: "["), (try? IPv6Address(parsing: bytes, in: start..<limit)) != nil
        {
            throw SiteRuleError(.bareIPv6, at: start)
        }
        let host: Hostname
        do throws(HostnameError) {
            host = try hosts.hostname(parsing: bytes, in: (isWildcard ? start + 2 : start)..<end)
        } catch {
            throw SiteRuleError(.host(error), at: error.offset)
        }
        guard end == limit || bytes[end] == UInt8(ascii: ":") else {
            throw SiteRuleError(.host(.forbiddenByte(bytes[end], offset: end)), at: end)
        }
        assert(start < end && end <= limit && limit <= bytes.count)
        cursor = end
        switch host.form {
        case .name(let name):
            guard !isAddressRange(name) else { throw SiteRuleError(.addressRange, at: start) }
            return isWildcard ? .below(name) : .name(name)
        case _ where isWildcard: throw SiteRuleError(.wildcardAboveAddress, at: start)
        case .ipv4(let address):
            let length = try prefixLength(bytes, &cursor, longest: 32)
            let network = IPNetwork(containing: address.rawValue, length: length)
            guard network.address == address.rawValue else {
                let remedy = "\(IPv4Address(rawValue: network.address))/\(length)"
                throw SiteRuleError(.hostBitsSet(remedy: remedy), at: start)
            }
            return .ipv4(network)
        case .ipv6(let address):
            let length = try prefixLength(bytes, &cursor, longest: 128)
            let network = IPNetwork(containing: address.rawValue, length: length)
            guard network.address == address.rawValue else {
                let remedy = "[\(IPv6Address(rawValue: network.address))]/\(length)"
                throw SiteRuleError(.hostBitsSet(remedy: remedy), at: start)
            }
            return .ipv6(network)
        }
    }

    /// Whether a name looks like a range of addresses: the first label is a number, and the others have only digits,
    /// `-` and `x`. No top-level domain has this form.
    private static func isAddressRange(_ name: [UInt8]) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        return name.contains(UInt8(ascii: ".")) && name.prefix { $0 != UInt8(ascii: ".") }.allSatisfy(isDigit)
            && name.allSatisfy { isDigit($0) || ".-x".utf8.contains($0) }
    }

    /// Whether the host begins with `*.` and has no other `*`; every other use of `*` is an error with a remedy.
    private static func isWildcard(_ bytes: Span<UInt8>, _ host: Range<Int>) throws(SiteRuleError) -> Bool {
        let star = first(UInt8(ascii: "*"), bytes, host)
        if star == host.upperBound {
            guard host.count > 1, bytes[host.lowerBound] == UInt8(ascii: ".") else { return false }
            let name = Self.text(bytes, host.lowerBound + 1..<host.upperBound)
            throw SiteRuleError(.leadingDot(host: name), at: host.lowerBound)
        }
        guard star == host.lowerBound else { throw SiteRuleError(.innerWildcard, at: star) }
        let second = first(UInt8(ascii: "*"), bytes, star + 1..<host.upperBound)
        guard second == host.upperBound else { throw SiteRuleError(.innerWildcard, at: second) }
        let rest = star + 1..<host.upperBound
        if rest.isEmpty || (rest.count == 1 && bytes[star + 1] == UInt8(ascii: ".")) {
            throw SiteRuleError(.bareWildcard, at: star)
        }
        guard bytes[star + 1] == UInt8(ascii: ".") else {
            throw SiteRuleError(.wildcardWithoutDot(host: Self.text(bytes, rest)), at: star)
        }
        return true
    }

    /// Reads the prefix length after an address, such as `/24`. A segment with other characters belongs to the path.
    private static func prefixLength(
        _ bytes: Span<UInt8>,
        _ cursor: inout Int,
        longest: Int
    ) throws(SiteRuleError) -> Int {
        guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: "/") else { return longest }
        let start = cursor + 1
        var end = start
        while end < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end]) { end += 1 }
        // A mask such as 10.0.0.0/255.0.0.0 is an error, because it would be read as a path.
        let segment = start..<first(UInt8(ascii: "/"), bytes, start..<bytes.count)
        let isMask =
            end < segment.upperBound && bytes[end] == UInt8(ascii: ".")
            && segment.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) || bytes[$0] == UInt8(ascii: ".")
            }
        guard end == start || !isMask else { throw SiteRuleError(.invalidPrefixLength(longest: longest), at: start) }
        guard end > start, end == bytes.count || bytes[end] == UInt8(ascii: "/") || bytes[end] == UInt8(ascii: ":")
        else { return longest }
        let hasLeadingZero = end - start > 1 && bytes[start] == UInt8(ascii: "0")
        guard !hasLeadingZero, let length = Int(Self.text(bytes, start..<end)), length <= longest else {
            throw SiteRuleError(.invalidPrefixLength(longest: longest), at: start)
        }
        assert(start < end && (0...longest).contains(length))
        cursor = end
        return length
    }

    private static func port(
        _ bytes: Span<UInt8>,
        _ cursor: inout Int,
        unlessScheme host: Int?
    ) throws(SiteRuleError) -> Port? {
        guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: ":") else { return nil }
        let start = cursor + 1
        let end = first(UInt8(ascii: "/"), bytes, start..<bytes.count)
        cursor = end
        if end - start == 1, bytes[start] == UInt8(ascii: "*") { return .any }
        if let number = Origin.port(in: bytes, start..<end, ifEmpty: 0), number > 0 { return .number(number) }
        let isNumber =
            start < end && (start..<end).allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }
        if let host, !isNumber {
            let name = Self.text(bytes, host..<start - 1).lowercased()
            guard !schemeNames.contains(name) else { throw SiteRuleError(.incompleteScheme(name), at: host) }
        }
        // An empty port is the same as none (RFC 3986 section 6.2.3).
        guard start == end else { throw SiteRuleError(.invalidPort, at: start) }
        return nil
    }

    private static func path(_ bytes: Span<UInt8>, _ start: Int) throws(SiteRuleError) -> PathPrefix? {
        for offset in start..<bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "*"): throw SiteRuleError(.wildcardInPath, at: offset)
            case UInt8(ascii: "?"), UInt8(ascii: "#"): throw SiteRuleError(.queryInPath, at: offset)
            case UInt8(ascii: ";"): throw SiteRuleError(.parametersInPath, at: offset)
            default: continue
            }
        }
        let text = Self.text(bytes, start..<bytes.count)
        if let (doubt, offset) = PathDoubt.first(in: text) { throw SiteRuleError(.path(doubt), at: start + offset) }
        return PathPrefix(certain: text)
    }

    private static func first(_ byte: UInt8, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        for offset in range where bytes[offset] == byte { return offset }
        return range.upperBound
    }

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }
}
