public import HTTPTypes

/// Who asks: the origin server, or a proxy on the way (RFC 9110 section 11.6 and 11.7).
public enum ChallengedParty: Hashable, Sendable {
    /// 401, `WWW-Authenticate`, `Authorization`.
    case origin
    /// 407, `Proxy-Authenticate`, `Proxy-Authorization`.
    case proxy

    /// The status code with which this party asks.
    public var status: Int { self == .origin ? 401 : 407 }

    /// The field that carries the party's challenges.
    public var challengeField: HTTPField.Name { self == .origin ? .wwwAuthenticate : .proxyAuthenticate }

    /// The field that carries our answer.
    public var answerField: HTTPField.Name { self == .origin ? .authorization : .proxyAuthorization }

    /// The field with which the party may prove itself afterwards (RFC 7615).
    package var informationField: HTTPField.Name? {
        HTTPField.Name(self == .origin ? "Authentication-Info" : "Proxy-Authentication-Info")
    }
}

/// All challenges of one response, and what in it was not understood.
///
/// A field line that cannot be read is left out whole; the other lines stand.
public struct OfferedChallenges: Equatable, Sendable {
    // Most responses have one challenge, which needs no array.
    private var first: Challenge?
    private var others: [Challenge] = []
    /// What the first unreadable field line suffers from; `nil` when all were read.
    public private(set) var defect: ChallengeError?

    /// Reads the fields with which `party` asks.
    ///
    /// - Complexity: O(*n*) in the fields; one challenge that has no parameters costs no allocation.
    public init(by party: ChallengedParty, in fields: HTTPFields) {
        let name = party.challengeField
        for index in fields.indices where fields[index].name == name {
            let earlier = (first, others)
            var error = ChallengeParser.read(fields[index].value) { append($0) }
            if error == nil, count > ChallengeLimits.challenges { error = .tooManyChallenges }
            guard let error else { continue }
            (first, others) = earlier
            if defect == nil { defect = error }
        }
    }

    /// In the order of the response.
    public var challenges: [Challenge] { first.map { [$0] + others } ?? [] }

    /// How many there are.
    package var count: Int { first == nil ? 0 : 1 + others.count }

    /// Whether `scheme` was offered.
    package func includes(_ scheme: AuthenticationScheme) -> Bool {
        first?.scheme == scheme || others.contains { $0.scheme == scheme }
    }

    /// The first scheme of `preference` that was offered.
    public func preferred(among preference: [AuthenticationScheme]) -> AuthenticationScheme? {
        preferredIndex(among: preference).map { preference[$0] }
    }

    /// Where in `preference` the first scheme stands, from `start` on, that was offered.
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
        if first == nil { first = challenge } else { others.append(challenge) }
    }
}
