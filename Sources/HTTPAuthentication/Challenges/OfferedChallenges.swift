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
    /// In the order of the response.
    public private(set) var challenges: [Challenge] = []
    /// What the first unreadable field line suffers from; `nil` when all were read.
    public private(set) var defect: ChallengeError?

    /// Reads the fields with which `party` asks.
    public init(by party: ChallengedParty, in fields: HTTPFields) {
        for value in fields[values: party.challengeField] {
            do throws(ChallengeError) {
                let found = try ChallengeParser.parse(value)
                guard challenges.count + found.count <= ChallengeLimits.challenges else { throw .tooManyChallenges }
                challenges += found
            } catch {
                if defect == nil { defect = error }
            }
        }
    }

    /// Whether `scheme` was offered.
    package func includes(_ scheme: AuthenticationScheme) -> Bool {
        challenges.contains { $0.scheme == scheme }
    }

    /// The first scheme of `preference` that was offered.
    public func preferred(among preference: [AuthenticationScheme]) -> AuthenticationScheme? {
        preference.first(where: includes)
    }

    /// The challenges of one scheme, in the order of the response.
    public func challenges(of scheme: AuthenticationScheme) -> [Challenge] {
        challenges.filter { $0.scheme == scheme }
    }
}
