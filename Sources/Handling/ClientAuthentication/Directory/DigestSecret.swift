internal import HTTPAuthentication
internal import Secrets
internal import WireFormat

/// H(A1) of an account by MD5 (RFC 7616 section 3.4.2), as htdigest writes it. It is as good as the password for its realm.
public struct DigestSecret: Sendable {
    /// The name that the hash was made of. Case matters.
    public let user: String
    /// The realm that it was made of.
    public let realm: String
    let digits: SharedSecret

    /// Takes the 32 hexadecimal digits of the hash, in either case; `nil` for other text.
    public init?(user: String, realm: String, digits: Span<UInt8>) {
        guard digits.count == DigestHash.md5.digitCount else { return nil }
        var lowercase: [UInt8] = []
        // Room for all from the start: an array that grows leaves a copy of its contents behind.
        lowercase.reserveCapacity(digits.count)
        defer { erase(&lowercase) }
        for index in digits.indices {
            guard Hexadecimal.value(of: digits[index]) != nil else { return nil }
            lowercase.append(digits[index] | 0x20)
        }
        (self.user, self.realm) = (user, realm)
        self.digits = SharedSecret(SecretBytes(copying: lowercase.span))
    }

    /// Whether `password` is right.
    func accepts(_ password: SharedSecret) -> Bool {
        var computed = Self.digits(of: password, user: user, realm: realm, by: .md5)
        defer { erase(&computed) }
        return digits.withBytes { constantTimeEqual($0, computed.span) }
    }

    /// The digits of H(A1), which the caller erases.
    static func digits(of password: SharedSecret, user: String, realm: String, by hash: DigestHash) -> [UInt8] {
        let head = "\(user):\(realm):".utf8
        var plain: [UInt8] = []
        plain.reserveCapacity(head.count + password.count)
        defer { erase(&plain) }
        plain.append(contentsOf: head)
        password.withBytes { plain.append(copying: $0) }
        return hash.secretDigits(of: plain.span)
    }
}

extension DigestSecret: CustomStringConvertible, CustomReflectable {
    /// A fixed text, so that a log does not show the hash.
    public var description: String { "<H(A1)>" }

    /// Has no children, so that `dump` does not show the hash.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
