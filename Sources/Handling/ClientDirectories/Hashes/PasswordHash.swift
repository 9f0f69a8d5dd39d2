internal import Crypto
internal import Secrets
internal import WireFormat

/// A one-way hash of a password, as htpasswd and `/etc/shadow` write it.
enum PasswordHash: Sendable {
    /// Apache's form of MD5-crypt: `$apr1$SALT$DIGEST`.
    case apache(salt: [UInt8], text: [UInt8])
    /// `{SHA}` and SHA-1 in Base64, without a salt.
    case sha1([UInt8])
    /// A form of the system's crypt: bcrypt, SHA-crypt, yescrypt, MD5-crypt.
    case system([UInt8])

    /// The most bytes of a hash, as the system's crypt has it.
    static let mostBytes = 384
    /// The most bytes of a password that is hashed, as the system's crypt has it.
    static let mostPasswordBytes = 512

    /// Reads a hash. Returns `nil` for other text, and for a form that is refused: DES, or a cost beyond the bound.
    init?(_ text: ArraySlice<UInt8>) {
        guard text.count <= Self.mostBytes, text.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        if text.starts(with: ApacheHash.magic) {
            let parts = text.dropFirst(ApacheHash.magic.count).split(
                separator: UInt8(ascii: "$"),
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, parts[0].count <= ApacheHash.mostSaltBytes, parts[1].count == ApacheHash.digits
            else { return nil }
            self = .apache(salt: Array(parts[0]), text: Array(text))
        } else if text.starts(with: "{SHA}".utf8) {
            guard let digest = try? Base64.decode(String(decoding: text.dropFirst(5), as: UTF8.self)),
                digest.count == 20
            else { return nil }
            self = .sha1(digest)
        } else if SystemForm.takes(String(decoding: text, as: UTF8.self)) {
            self = .system(Array(text))
        } else {
            return nil
        }
    }

    /// The hash as the file has it, or what tells it from others.
    var text: [UInt8] {
        switch self {
        case .apache(_, let text), .system(let text), .sha1(let text): text
        }
    }

    /// Whether `password` has this hash. Takes as long as the hash is made to take: with bcrypt a tenth of a second or more.
    ///
    /// - Throws: if the system's crypt is not there, or does not know the form.
    func accepts(_ password: Secrets.SharedSecret) throws(SystemCryptError) -> Bool {
        // The system's crypt reads up to a zero: a password with one would be another password.
        let isPossible = password.withBytes { bytes in
            bytes.count <= Self.mostPasswordBytes && bytes.indices.allSatisfy { bytes[$0] != 0 }
        }
        guard isPossible else { return false }
        switch self {
        case .apache(let salt, let text):
            var computed = password.withBytes { ApacheHash.text(of: $0, salt: salt) }
            defer { erase(&computed) }
            return constantTimeEqual(computed.span, text.span)
        case .sha1(let digest):
            var hash = Insecure.SHA1()
            // In bounds: the buffer is the span's own.
            password.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe hash.update(data: $0) } }
            return constantTimeEqual(Array(hash.finalize()).span, digest.span)
        case .system(let text):
            var computed = try SystemCrypt.hash(password, as: text)
            defer { erase(&computed) }
            return constantTimeEqual(computed.span, text.span)
        }
    }
}
