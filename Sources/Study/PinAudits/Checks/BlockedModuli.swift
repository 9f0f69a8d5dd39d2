internal import BigInt
internal import Crypto

/// RSA moduli by the last ten bytes of a hash. Debian published the keys of CVE-2008-0166, whose generator was seeded
/// with little more than the process number, in this form.
///
/// A list has one modulus per line, 20 hexadecimal digits; empty lines and lines that begin with `#` are ignored. The
/// lines do not name their hash, so a modulus is looked up by both:
///
/// | package | hash | of |
/// |---|---|---|
/// | `openssl-blacklist` | SHA-1 | `Modulus=`, the modulus in upper-case hexadecimal digits, and a line feed |
/// | `openssh-blacklist` | MD5 | the key as SSH writes it (RFC 4253 6.6): `ssh-rsa`, exponent, modulus |
///
/// This library contains no list.
public struct BlockedModuli: Equatable, Sendable {
    /// Ten bytes, the most significant first.
    private struct Suffix: Hashable {
        let high: UInt16
        let low: UInt64

        static let digits = 20

        init?(_ line: Substring) {
            guard line.utf8.count == Self.digits, line.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let high = UInt16(line.prefix(4), radix: 16), let low = UInt64(line.dropFirst(4), radix: 16)
            else { return nil }
            (self.high, self.low) = (high, low)
        }

        /// The last ten bytes of a hash.
        init(of hash: some Sequence<UInt8>) {
            let bytes = Array(hash).suffix(Self.digits / 2)
            high = bytes.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
            low = bytes.dropFirst(2).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private var suffixes: Set<Suffix> = []

    /// An empty list.
    public init() {}

    /// Whether the list is empty.
    public var isEmpty: Bool { suffixes.isEmpty }

    /// Adds the lines of a list.
    ///
    /// - Parameter list: UTF-8; lines end with LF or CR LF.
    public mutating func add(list: [UInt8]) throws(BlockedModuliError) {
        var found: Set<Suffix> = []
        for (index, line) in list.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let text = String(decoding: line, as: UTF8.self).drop(while: \.isWhitespace)
            guard let first = text.first, first != "#", let end = text.lastIndex(where: { !$0.isWhitespace }) else {
                continue
            }
            guard let suffix = Suffix(text[...end]) else { throw BlockedModuliError(line: index + 1) }
            found.insert(suffix)
        }
        suffixes.formUnion(found)
    }

    /// Whether the key is on one of the lists.
    func contains(_ key: RSAPublicKey) -> Bool {
        !isEmpty && (suffixes.contains(Self.suffixOfOpenSSL(key)) || suffixes.contains(Self.suffixOfOpenSSH(key)))
    }

    private static func suffixOfOpenSSL(_ key: RSAPublicKey) -> Suffix {
        let text = "Modulus=" + String(key.modulus, radix: 16, uppercase: true) + "\n"
        return Suffix(of: Insecure.SHA1.hash(data: [UInt8](text.utf8)))
    }

    private static func suffixOfOpenSSH(_ key: RSAPublicKey) -> Suffix {
        let fields = [[UInt8]("ssh-rsa".utf8), signedBytes(key.exponent), signedBytes(key.modulus)]
        let bytes = fields.flatMap { field in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: field.count >> $0) } + field
        }
        return Suffix(of: Insecure.MD5.hash(data: bytes))
    }

    /// The number with a clear first bit (RFC 4251 section 5, mpint); none for zero.
    private static func signedBytes(_ number: BigUInt) -> [UInt8] {
        let count = number.isZero ? 0 : number.bitWidth / 8 + 1
        let words = number.words
        return (0..<count).reversed().map { offset in
            let (word, byte) = offset.quotientAndRemainder(dividingBy: UInt.bitWidth / 8)
            return word < words.count ? UInt8(truncatingIfNeeded: words[word] >> UInt(8 * byte)) : 0
        }
    }
}

/// Why a text cannot be read as a list of blocked moduli.
public struct BlockedModuliError: Error, Equatable, Sendable {
    /// The first line that is neither a comment nor 20 hexadecimal digits; counts from 1.
    public let line: Int
}

extension BlockedModuliError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        "line \(line): not 20 hexadecimal digits; give a list like Debian's openssl-blacklist, one modulus a line"
    }
}
