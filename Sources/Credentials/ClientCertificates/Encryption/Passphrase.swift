internal import Secrets

/// A passphrase in the forms that key derivations use.
struct Passphrase {
    /// As it is: PBKDF2.
    private(set) var utf8: [UInt8]
    /// UTF-16, most significant byte first, with a zero at the end (RFC 7292 appendix B.1).
    private(set) var utf16: [UInt8]

    /// The passphrase of a file that is encrypted without one. Some programs derive keys from the text of no character, and some
    /// from no byte; OpenSSL tries both.
    static let none = Passphrase(utf8: [], utf16: [])
    static let empty = Passphrase(utf8: [], utf16: [0, 0])

    private init(utf8: [UInt8], utf16: [UInt8]) {
        self.utf8 = utf8
        self.utf16 = utf16
    }

    init(_ secret: SharedSecret) throws(IdentityError.Problem) {
        guard secret.count <= IdentityLimits.passphraseBytes else { throw .unusablePassphrase }
        // Reserved, so that no copy of the beginning is left behind.
        var (utf8, utf16): ([UInt8], [UInt8]) = ([], [])
        utf8.reserveCapacity(secret.count)
        utf16.reserveCapacity(2 * secret.count + 2)
        secret.withBytes { bytes in for index in bytes.indices { utf8.append(bytes[index]) } }
        var decoder = UTF8()
        var bytes = utf8.makeIterator()
        decoding: while true {
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar):
                UTF16.encode(scalar)?.forEach { unit in
                    utf16.append(UInt8(unit >> 8))
                    utf16.append(UInt8(unit & 0xFF))
                }
            case .emptyInput: break decoding
            case .error:
                erase(&utf8)
                erase(&utf16)
                throw .unusablePassphrase
            }
        }
        utf16 += [0, 0]
        self.init(utf8: utf8, utf16: utf16)
    }

    /// The same passphrase as OpenSSL before 1.1 encodes it for PKCS#12: each byte of UTF-8 by itself, as if it were ISO 8859-1;
    /// `nil` for ASCII, because both encodings are the same there. OpenSSL tries both, too (PKCS12_parse, "Passphrase encoding").
    func encodedBytewise() -> Passphrase? {
        guard utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        // Reserved, so that no copy of the beginning is left behind.
        var (copy, units): ([UInt8], [UInt8]) = ([], [])
        copy.reserveCapacity(utf8.count)
        units.reserveCapacity(2 * utf8.count + 2)
        for byte in utf8 {
            copy.append(byte)
            units.append(0)
            units.append(byte)
        }
        units.append(0)
        units.append(0)
        return Passphrase(utf8: copy, utf16: units)
    }

    /// The same passphrase with the characters of ISO 8859-1 as bytes, as programs on a system with that encoding hand it to PBKDF2, which
    /// takes bytes; `nil` if these are the bytes of UTF-8, or if it has other characters.
    func encodedAsLatin1() -> Passphrase? {
        let count = max(0, utf16.count - 2) / 2
        var octets: [UInt8] = []
        octets.reserveCapacity(count)
        for index in 0..<count {
            guard utf16[2 * index] == 0 else {
                erase(&octets)
                return nil
            }
            octets.append(utf16[2 * index + 1])
        }
        guard octets != utf8 else {
            erase(&octets)
            return nil
        }
        return Passphrase(utf8: octets, utf16: [])
    }

    mutating func eraseAll() {
        erase(&utf8)
        erase(&utf16)
    }
}
