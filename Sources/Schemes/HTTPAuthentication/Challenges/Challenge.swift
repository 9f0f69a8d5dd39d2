/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct Challenge: Equatable, Sendable {
    /// One `name=value` of a challenge; the value is without its quotes and escapes.
    public struct Parameter: Equatable, Sendable {
        /// In lower case; names are compared without regard to case.
        public let name: String
        /// As the server meant it.
        public let value: String
    }

    /// Which scheme the server offers.
    public let scheme: AuthenticationScheme
    /// The token68 form of the challenge, which NTLM and Negotiate use; `nil` when there is none.
    public var token: String? { token68.map(String.init) }
    /// The same, in the storage of the field's value.
    package let token68: Substring?
    /// In the order of the field; no name stands twice.
    public let parameters: [Parameter]
    /// How the values of the parameters relate to the bytes of the field.
    package let encoding: FieldEncoding

    /// The value of the parameter called `name` (lower case), or `nil`.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }
}

/// Why a challenge field cannot be read.
///
/// Offsets count bytes from the start of the field value.
public enum ChallengeError: Error, Equatable, Sendable {
    /// The field is longer than ``ChallengeLimits/fieldBytes``.
    case tooLong(bytes: Int)
    /// More challenges than ``ChallengeLimits/challenges``.
    case tooManyChallenges
    /// More parameters in one challenge than ``ChallengeLimits/parameters``.
    case tooManyParameters
    /// A token was expected, and another character was found.
    case tokenExpected(offset: Int)
    /// A quoted string has no end.
    case unterminatedQuote(offset: Int)
    /// A control character stands where none may.
    case controlCharacter(offset: Int)
    /// Two parameters of one challenge have the same name, so the meaning is uncertain.
    case duplicateParameter(name: String)
    /// Something else than a comma follows a complete element.
    case commaExpected(offset: Int)
}

extension ChallengeError: CustomStringConvertible {
    /// One line: what is wrong and where.
    public var description: String {
        switch self {
        case .tooLong(let bytes): "\(bytes) bytes; at most \(ChallengeLimits.fieldBytes) are read"
        case .tooManyChallenges: "more than \(ChallengeLimits.challenges) challenges in one response"
        case .tooManyParameters: "more than \(ChallengeLimits.parameters) parameters in one challenge"
        case .tokenExpected(let offset): "expected a token at byte \(offset)"
        case .unterminatedQuote(let offset): "the quoted string that starts at byte \(offset) has no end"
        case .controlCharacter(let offset): "control character at byte \(offset)"
        case .duplicateParameter(let name): "the parameter '\(name.prefix(64))' appears twice"
        case .commaExpected(let offset):
            "expected a comma at byte \(offset); a value with other characters than those of a token needs quotes"
        }
    }
}

/// The bounds on what a server may make us read.
public enum ChallengeLimits {
    /// Bytes of one field value: the base64 of a 64 KiB NTLM message, its scheme, and room to spare.
    public static let fieldBytes = 96 * 1024
    /// Challenges in one response.
    public static let challenges = 32
    /// Parameters in one challenge.
    public static let parameters = 64
}
