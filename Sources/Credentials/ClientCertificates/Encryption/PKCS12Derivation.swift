internal import Crypto
internal import Secrets

// For the bytes of a digest without a copy in each iteration.
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The key derivation of PKCS#12 (RFC 7292 appendix B.2).
enum PKCS12Derivation {
    /// What the bytes are for; they differ with it.
    enum Purpose: UInt8 {
        case key = 1
        case vector = 2
        case integrity = 3
    }

    /// Derives `count` bytes; the caller erases them.
    ///
    /// - Parameter passphrase: ``Passphrase/utf16``.
    /// - Complexity: O(`iterations` · `count`).
    static func bytes(
        _ passphrase: [UInt8],
        salt: [UInt8],
        iterations: Int,
        _ hash: PasswordHash,
        for purpose: Purpose,
        count: Int
    ) -> [UInt8] {
        switch hash {
        case .sha1: bytes(Insecure.SHA1.self, passphrase, salt, iterations, purpose, count)
        case .sha256: bytes(SHA256.self, passphrase, salt, iterations, purpose, count)
        case .sha384: bytes(SHA384.self, passphrase, salt, iterations, purpose, count)
        case .sha512: bytes(SHA512.self, passphrase, salt, iterations, purpose, count)
        }
    }

    private static func bytes<Hash: HashFunction>(
        _: Hash.Type,
        _ passphrase: [UInt8],
        _ salt: [UInt8],
        _ iterations: Int,
        _ purpose: Purpose,
        _ count: Int
    ) -> [UInt8] {
        precondition(iterations > 0, "no iteration")
        let blockBytes = Hash.blockByteCount
        let diversifier = [UInt8](repeating: purpose.rawValue, count: blockBytes)
        // The names of the RFC: I is the salt and the passphrase, each repeated to whole blocks.
        var i = repeated(salt, toMultipleOf: blockBytes) + repeated(passphrase, toMultipleOf: blockBytes)
        defer { erase(&i) }
        var derived: [UInt8] = []
        derived.reserveCapacity(count + Hash.Digest.byteCount)
        while derived.count < count {
            var hash = Hash()
            hash.update(data: diversifier)
            hash.update(data: i)
            var a = hash.finalize()
            for _ in 1..<iterations {
                var hash = Hash()
                unsafe a.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
                a = hash.finalize()
            }
            let digest = Array(a)
            derived += digest.prefix(count - derived.count)
            // Each block of I grows by B + 1, as numbers with the most significant byte first.
            for start in stride(from: 0, to: i.count, by: blockBytes) {
                var carry = 1
                for place in stride(from: blockBytes - 1, through: 0, by: -1) {
                    carry += Int(i[start + place]) + Int(digest[place % digest.count])
                    i[start + place] = UInt8(truncatingIfNeeded: carry)
                    carry >>= 8
                }
            }
        }
        return derived
    }

    private static func repeated(_ bytes: [UInt8], toMultipleOf blockBytes: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + blockBytes - 1) / blockBytes * blockBytes
        return (0..<count).map { bytes[$0 % bytes.count] }
    }
}
