public import HTTPTypes

/// The party that challenges: the origin server or a proxy (RFC 9110 sections 11.6 and 11.7).
public enum ChallengedParty: Hashable, Sendable {
    /// 401, `WWW-Authenticate`, `Authorization`.
    case origin
    /// 407, `Proxy-Authenticate`, `Proxy-Authorization`.
    case proxy

    /// The status code of this party's challenges.
    public var status: Int { self == .origin ? 401 : 407 }

    /// The field with the party's challenges.
    public var challengeField: HTTPField.Name { self == .origin ? .wwwAuthenticate : .proxyAuthenticate }

    /// The field of our answer.
    public var answerField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

    /// The party that challenges with `status`.
    package init?(challengingWith status: Int) {
        switch status {
        case Self.origin.status: self = .origin
        case Self.proxy.status: self = .proxy
        default: return nil
        }
    }

    /// Whether the response says that its connection ends with it (RFC 9112 section 9.6; proxies also have the older
    /// Proxy-Connection).
    package func closesConnection(_ fields: HTTPFields) -> Bool {
        // Field by field, because the joined value of a name is a new text.
        for index in fields.indices {
            let name = fields[index].name
            guard name == .connection || self == .proxy && name == DecisiveFields.proxyConnection else { continue }
            if Self.listsClose(fields[index].value) { return true }
        }
        return false
    }

    /// Whether "close" is an element of a list, in any case.
    private static func listsClose(_ value: String) -> Bool {
        // How many bytes of "close" the element has so far; `nil` if it is another one.
        var met: Int? = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"):
                if met == close.count { return true }
                met = 0
            default:
                met = met.flatMap { $0 < close.count && byte | 0x20 == close[$0] ? $0 + 1 : nil }
            }
        }
        return met == close.count
    }

    private static let close = Array("close".utf8)

    /// The field with which the party may prove itself afterwards (RFC 7615).
    package var informationField: HTTPField.Name {
        self == .origin ? DecisiveFields.authenticationInfo : DecisiveFields.proxyAuthenticationInfo
    }
}

/// All challenges of one response, and the lines that cannot be read.
///
/// A line that cannot be read yields no challenge. The other lines count.
public struct OfferedChallenges: Equatable, Sendable {
    // Most responses have one challenge, so the first one needs no array.
    private var first: Challenge?
    private var others: [Challenge] = []
    /// The lines that cannot be read, in the order of the response; at most ``ChallengeLimits/challenges``.
    public private(set) var unreadable: [UnreadableChallenge] = []
    /// Whether more lines than ``unreadable`` keeps cannot be read: they may offer any scheme.
    private var hasMoreUnreadable = false

    /// Reads the challenge fields of `party`.
    ///
    /// A value that is not UTF-8 is read as ISO-8859-1, so that an answer can repeat its bytes.
    ///
    /// - Complexity: O(*n*) in the fields; no allocation for one challenge without parameters.
    public init(by party: ChallengedParty, in fields: HTTPFields) {
        let name = party.challengeField
        var line = 0
        for index in fields.indices where fields[index].name == name {
            line += 1
            let earlier = count
            let value = fields[index].value
            var parser = ChallengeParser(value)
            var error = parser.read { append($0) }
            if parser.hasMetNonASCII || error != nil, let latin1 = Self.latin1Text(of: fields[index]) {
                keepFirst(earlier)
                parser = ChallengeParser(latin1, encoding: .latin1)
                error = parser.read { append($0) }
            }
            if error == nil, count > ChallengeLimits.challenges { error = .tooManyChallenges }
            guard let error else { continue }
            keepFirst(earlier)
            guard unreadable.count < ChallengeLimits.challenges else {
                hasMoreUnreadable = true
                continue
            }
            unreadable.append(
                UnreadableChallenge(field: name, line: line, scheme: parser.scheme, error: error, value: value)
            )
        }
    }

    /// The text of a value whose bytes are not UTF-8, one character a byte; `nil` for UTF-8, and for a value that is too
    /// long.
    private static func latin1Text(of field: HTTPField) -> String? {
        let value = field.value
        return unsafe field.withUnsafeBytesOfValue { bytes in
            // HTTPField decodes with replacement characters: the text has other bytes exactly when it is not UTF-8.
            guard bytes.count <= ChallengeLimits.fieldBytes else { return nil }
            return unsafe value.utf8.elementsEqual(bytes) ? nil : FieldEncoding.latin1Text(of: bytes)
        }
    }

    /// The first line that cannot be read and may offer `scheme`.
    package func unreadableLine(mayOffer scheme: AuthenticationScheme) -> UnreadableChallenge? {
        unreadable.first { $0.mayOffer(scheme) } ?? (hasMoreUnreadable ? unreadable.last : nil)
    }

    /// The first line that cannot be read and may offer something stronger than the scheme at `index` of `preference`:
    /// a scheme before it, or Digest itself, because Digest has several strengths.
    package func unreadableLine(
        mayOutrank index: Int,
        of preference: [AuthenticationScheme]
    ) -> UnreadableChallenge? {
        guard !unreadable.isEmpty else { return nil }
        let end = preference[index] == .digest ? index + 1 : index
        for stronger in preference[..<end] {
            if let line = unreadableLine(mayOffer: stronger) { return line }
        }
        return nil
    }

    /// In the order of the response.
    public var challenges: [Challenge] { first.map { [$0] + others } ?? [] }

    /// The number of challenges.
    package var count: Int {
        // A pattern, because `first == nil` would copy the challenge.
        if case nil = first { return 0 }
        return 1 + others.count
    }

    /// Whether `scheme` was offered.
    package func includes(_ scheme: AuthenticationScheme) -> Bool {
        first?.scheme == scheme || others.contains { $0.scheme == scheme }
    }

    /// The first scheme of `preference` that was offered; `nil` also if a line that cannot be read may offer one before it.
    public func preferred(among preference: [AuthenticationScheme]) -> AuthenticationScheme? {
        guard let index = preferredIndex(among: preference),
            unreadableLine(mayOutrank: index, of: preference) == nil
        else { return nil }
        return preference[index]
    }

    /// The index in `preference` of the first offered scheme, from `start` on.
    package func preferredIndex(among preference: [AuthenticationScheme], from start: Int = 0) -> Int? {
        for index in start..<preference.count where includes(preference[index]) { return index }
        return nil
    }

    /// The challenges of one scheme, in the order of the response.
    public func challenges(of scheme: AuthenticationScheme) -> [Challenge] {
        challenges.filter { $0.scheme == scheme }
    }

    /// The first challenge of one scheme, or `nil`.
    package func firstChallenge(of scheme: AuthenticationScheme) -> Challenge? {
        if let first, first.scheme == scheme { return first }
        return others.first { $0.scheme == scheme }
    }

    private mutating func append(_ challenge: Challenge) {
        if case nil = first { first = challenge } else { others.append(challenge) }
    }

    /// Removes all challenges but the first `count`.
    private mutating func keepFirst(_ count: Int) {
        if count == 0 { first = nil }
        others.removeSubrange(max(0, count - 1)...)
    }
}
