internal import Crypto

extension Pin {
    /// The pin of a key given as the DER of its SubjectPublicKeyInfo, header included.
    ///
    /// The bytes are hashed as they are and not looked at; `init(ofCertificate:)` finds them in a certificate.
    public init(hashing subjectPublicKeyInfo: Span<UInt8>) {
        var hash = SHA256()
        // The pointer lives for the closure only, which hashes from it and keeps nothing.
        unsafe subjectPublicKeyInfo.withUnsafeBytes { bytes in unsafe hash.update(bufferPointer: bytes) }
        // In bounds: a SHA-256 digest has 32 bytes. Words are made least significant byte first on every machine.
        self = unsafe hash.finalize().withUnsafeBytes { digest in
            unsafe Pin(
                UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
                UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
                UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
            )
        }
    }
}
