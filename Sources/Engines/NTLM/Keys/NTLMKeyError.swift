/// Why bytes or a password cannot be used as a key.
public enum NTLMKeyError: Error, Equatable, Sendable {
    /// A key or nonce of fixed size has the wrong size.
    case wrongLength(expected: Int, found: Int)
    /// The password has more UTF-16 units than Windows stores.
    case passwordTooLong(units: Int, limit: Int)
    /// The bytes of a password are not UTF-8.
    case passwordNotUTF8
}

extension NTLMKeyError: CustomStringConvertible {
    /// One line: the problem and the remedy.
    public var description: String {
        switch self {
        case .wrongLength(let expected, let found):
            "\(found) bytes: expected \(expected); give the whole hash, key or nonce"
        case .passwordTooLong(let units, let limit):
            "password of \(units) UTF-16 units: Windows allows at most \(limit); check the file or variable"
        case .passwordNotUTF8: "the password is not UTF-8: convert its file or variable to UTF-8"
        }
    }
}
