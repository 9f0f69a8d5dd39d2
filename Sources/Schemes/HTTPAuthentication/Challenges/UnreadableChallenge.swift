public import HTTPTypes

/// One line of challenges that cannot be read, and what it may have offered.
public struct UnreadableChallenge: Equatable, Sendable {
    /// `WWW-Authenticate` or `Proxy-Authenticate`.
    public let field: HTTPField.Name
    /// Which of the field's lines it is; the first one is 1.
    public let line: Int
    /// The scheme of the challenge that holds the error; `nil` when the error comes before any scheme.
    public let scheme: AuthenticationScheme?
    /// What is wrong.
    public let error: ChallengeError
    /// Schemes whose names appear in the line; `nil` when the line is too long to be searched.
    private let named: Set<AuthenticationScheme>?

    init(
        field: HTTPField.Name,
        line: Int,
        scheme: AuthenticationScheme?,
        error: ChallengeError,
        value: String
    ) {
        self.field = field
        self.line = line
        self.scheme = scheme
        self.error = error
        named =
            switch error {
            case .tooLong, .tooManyChallenges: nil
            default: Self.schemes(namedIn: value)
            }
    }

    /// Characters of a server's scheme name that a description shows.
    private static let shownNameLength = 64

    /// Whether the line may have offered `scheme`: its name appears as a token, inside a quoted string or not.
    package func mayOffer(_ scheme: AuthenticationScheme) -> Bool { named?.contains(scheme) ?? true }

    /// - Complexity: O(*n*) in the bytes of `value`, which are at most ``ChallengeLimits/fieldBytes``.
    private static func schemes(namedIn value: String) -> Set<AuthenticationScheme> {
        let tokens = value.utf8.split { !isTokenCharacter($0) }
        return Set(tokens.compactMap { Substring($0) }.map { AuthenticationScheme($0) })
    }
}

extension UnreadableChallenge: CustomStringConvertible {
    /// One line: which field, what is wrong, what to do.
    public var description: String {
        let lineNote = line > 1 ? ", line \(line)" : ""
        let schemeNote = scheme.map { ", scheme \($0.name.prefix(Self.shownNameLength))" } ?? ""
        return "\(field.rawName)\(lineNote)\(schemeNote): \(error); the server or proxy must mend its challenge"
    }
}
