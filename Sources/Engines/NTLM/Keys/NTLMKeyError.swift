/// Why bytes or a password are no key of NTLM.
public enum NTLMKeyError: Error, Equatable, Sendable {
    /// A key or nonce of fixed size has another size.
    case wrongLength(expected: Int, found: Int)
    /// The password has more UTF-16 units than Windows stores.
    case passwordTooLong(units: Int, limit: Int)
    /// The bytes of a password are not UTF-8.
    case passwordNotUTF8
}

extension NTLMKeyError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .wrongLength(let expected, let found):
            "\(found) bytes where \(expected) are due: give the whole hash, key or nonce"
        case .passwordTooLong(let units, let limit):
            "password of \(units) UTF-16 units: no account has one of more than \(limit); check what was read"
        case .passwordNotUTF8: "the password is not UTF-8: convert the file or variable that it comes from"
        }
    }
}
