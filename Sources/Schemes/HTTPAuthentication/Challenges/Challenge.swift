/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 section 11.3).
public struct Challenge: Equatable, Sendable {
    /// One `name=value` of a challenge; the value is without its quotes and escapes.
    public struct Parameter: Equatable, Sendable {
        /// In lower case, because case does not matter in names.
        public let name: String
        /// Without quotes and escapes.
        public let value: String
    }

    /// Which scheme the server offers.
    public let scheme: AuthenticationScheme
    /// The token68 of the challenge, which NTLM and Negotiate use, or `nil`.
    public var token: String? { token68.map(String.init) }
    /// The same, without a copy of the field's value.
    package let token68: Substring?
    /// In the order of the field; each name occurs once.
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
    /// The character at the offset does not start a token.
    case tokenExpected(offset: Int)
    /// A quoted string has no closing quote.
    case unterminatedQuote(offset: Int)
    /// The field contains a control character.
    case controlCharacter(offset: Int)
    /// Two parameters of one challenge have the same name, so that two readers could use two values.
    case duplicateParameter(name: String)
    /// The character after an element is not a comma.
    case commaExpected(offset: Int)
}

extension ChallengeError: CustomStringConvertible {
    /// One line: the problem and its place.
    public var description: String {
        switch self {
        case .tooLong(let bytes): "\(bytes) bytes; at most \(ChallengeLimits.fieldBytes) are read"
        case .tooManyChallenges: "more than \(ChallengeLimits.challenges) challenges in one response"
        case .tooManyParameters: "more than \(ChallengeLimits.parameters) parameters in one challenge"
        case .tokenExpected(let offset): "expected a token at byte \(offset)"
        case .unterminatedQuote(let offset): "the quoted string that starts at byte \(offset) has no closing quote"
        case .controlCharacter(let offset): "control character at byte \(offset)"
        case .duplicateParameter(let name): "the parameter '\(name.prefix(64))' appears twice"
        case .commaExpected(let offset):
            "expected a comma at byte \(offset); a value with characters outside a token needs quotes"
        }
    }
}

/// The bounds on the challenges of a server.
public enum ChallengeLimits {
    /// Bytes of one field value: enough for the base64 of a 64 KiB NTLM message and its scheme.
    public static let fieldBytes = 96 * 1024
    /// Challenges in one response.
    public static let challenges = 32
    /// Parameters in one challenge.
    public static let parameters = 64
}
