public import HTTPTypes

/// One line of challenges that cannot be read, and the schemes that it may offer.
public struct UnreadableChallenge: Equatable, Sendable {
    /// `WWW-Authenticate` or `Proxy-Authenticate`.
    public let field: HTTPField.Name
    /// The number of the line among the lines of the field, from 1.
    public let line: Int
    /// The scheme of the challenge that holds the error; `nil` if the error comes before the first scheme.
    public let scheme: AuthenticationScheme?
    /// The syntax error.
    public let error: ChallengeError
    /// The schemes whose names appear in the line; `nil` if the line is too long to search.
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

    /// The most characters of a server's scheme name that a description shows.
    private static let shownNameLength = 64

    /// Whether the line may offer `scheme`: its name appears as a token, inside or outside a quoted string.
    package func mayOffer(_ scheme: AuthenticationScheme) -> Bool { named?.contains(scheme) ?? true }

    /// - Complexity: O(*n*) in the bytes of `value`, which are at most ``ChallengeLimits/fieldBytes``.
    private static func schemes(namedIn value: String) -> Set<AuthenticationScheme> {
        let tokens = value.utf8.split { !isTokenCharacter($0) }
        return Set(tokens.compactMap { Substring($0) }.map { AuthenticationScheme($0) })
    }
}

extension UnreadableChallenge: CustomStringConvertible {
    /// One line: the field, the problem and the remedy.
    public var description: String {
        let lineNote = line > 1 ? ", line \(line)" : ""
        let schemeNote = scheme.map { ", scheme \($0.name.prefix(Self.shownNameLength))" } ?? ""
        return "\(field.rawName)\(lineNote)\(schemeNote): \(error); correct the challenge of the server or proxy"
    }
}
