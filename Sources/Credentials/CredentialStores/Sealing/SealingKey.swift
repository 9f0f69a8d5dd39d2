internal import Crypto
internal import CryptoExtras
internal import Secrets
internal import WireFormat

// CryptoExtras speaks Foundation's `Data`; this is the only file of the target that does.
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A key of 32 bytes and what is done with it. swift-crypto erases the bytes with the last copy.
struct SealingKey: Sendable {
    private let key: SymmetricKey

    private init(_ key: SymmetricKey) { self.key = key }

    static let byteCount = 32

    /// A new random key.
    static func random() -> SealingKey { SealingKey(SymmetricKey(size: .bits256)) }

    /// Copies 32 bytes.
    init(copying bytes: Span<UInt8>) {
        precondition(bytes.count == Self.byteCount, "a sealing key has 32 bytes")
        key = unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Calls `body` with the 32 bytes.
    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        unsafe key.withUnsafeBytes { bytes in
            // In bounds: the bytes of the key, which lives during the call.
            body(unsafe Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
        }
    }

    /// Another key for one purpose (HKDF-SHA256, RFC 5869).
    func derived(salt: [UInt8], purpose: StaticString) -> SealingKey {
        let info = purpose.withUTF8Buffer { unsafe [UInt8]($0) }
        return SealingKey(
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key,
                salt: salt,
                info: info,
                outputByteCount: Self.byteCount
            )
        )
    }

    // MARK: - scrypt (RFC 7914)

    /// The key that belongs to a passphrase.
    ///
    /// - Returns: `nil` if the memory is not available.
    /// - Precondition: the passphrase is not empty, because swift-crypto traps on an empty one.
    static func scrypt(_ passphrase: Secrets.SharedSecret, salt: [UInt8], cost: ScryptCost) -> SealingKey? {
        scryptBytes(passphrase, salt: salt, cost: cost, byteCount: byteCount).map(SealingKey.init(_:))
    }

    /// The bytes that scrypt makes of a passphrase, as many as the published vectors have.
    static func scryptBytes(
        _ passphrase: Secrets.SharedSecret,
        salt: [UInt8],
        cost: ScryptCost,
        byteCount: Int
    ) -> SymmetricKey? {
        precondition(passphrase.count > 0, "an empty passphrase")
        var bytes = passphrase.withBytes { [UInt8](copying: $0) }
        defer { erase(&bytes) }
        return try? KDF.Scrypt.deriveKey(
            from: bytes,
            salt: salt,
            outputByteCount: byteCount,
            rounds: 1 << Int(cost.logarithmOfN),
            blockSize: Int(cost.r),
            parallelism: Int(cost.p)
        )
    }

    // MARK: - AES-256-GCM-SIV (RFC 8452)

    /// Bytes that a box has more than its contents: a nonce of 12 bytes before them and a tag of 16 after them.
    static let overhead = 12 + 16

    /// Seals `contents`: a nonce, the ciphertext and the tag. A nonce that repeats shows only that equal contents are equal.
    ///
    /// - Parameter nonce: 12 bytes; `nil` for random ones.
    func seal(_ contents: [UInt8], authenticating context: [UInt8], nonce: [UInt8]? = nil) -> [UInt8] {
        do {
            let nonce = try nonce.map { try AES.GCM._SIV.Nonce(data: $0) }
            return [UInt8](
                try AES.GCM._SIV.seal(contents, using: key, nonce: nonce, authenticating: context).combined
            )
        } catch {
            // The key has 32 bytes and the nonce 12, so only a lack of memory is left.
            preconditionFailure("AES-GCM-SIV cannot seal \(contents.count) bytes")
        }
    }

    /// The contents of a box; `nil` if the key or the context is another, or if a byte has changed.
    func open(_ box: ArraySlice<UInt8>, authenticating context: [UInt8]) -> Secrets.SharedSecret? {
        guard let box = try? AES.GCM._SIV.SealedBox(combined: box),
            let contents = try? AES.GCM._SIV.open(box, using: key, authenticating: context)
        else { return nil }
        return unsafe contents.withUnsafeBytes { bytes in
            // In bounds: the bytes of `contents`.
            let secret = SecretBytes(copying: unsafe Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
            // swift-crypto allocated the bytes, and nothing reads them after this call. They are overwritten where they are, because
            // `withUnsafeMutableBytes` writes to a copy if a temporary value still owns them.
            unsafe overwrite(UnsafeMutableRawBufferPointer(mutating: bytes))
            return Secrets.SharedSecret(secret)
        }
    }

    // MARK: - HMAC-SHA256 (RFC 2104)

    static let codeByteCount = 32

    /// The authentication code of `bytes`.
    func code(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        [UInt8](HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }

    /// Whether `code` is that of `bytes`; takes the same time for every wrong code.
    func isCode(_ code: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    }
}
