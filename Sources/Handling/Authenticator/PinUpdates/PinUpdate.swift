internal import Crypto
public import SPKIPins
internal import WireFormat

/// A signed pin policy, as it is sent to its users: an image and its Ed25519 signature (RFC 8032).
///
/// ```
/// 0    8   "SPKIPUPD"
/// 8    4   layout, 1
/// 12   4   zeros
/// 16       image of the policy, whose header has the version
/// n−64 64  signature of everything before it
/// ```
public enum PinUpdate {
    static let magic = [UInt8]("SPKIPUPD".utf8)
    static let headerLength = 16
    static let signatureLength = 64
    /// The most bytes of an update.
    public static let largest = 256 << 20

    /// Signs a policy.
    ///
    /// - Parameters:
    ///   - policy: the policy to send.
    ///   - privateKey: the 32 bytes of an Ed25519 private key.
    public static func sign(_ policy: PinPolicy, with privateKey: [UInt8]) throws(PinUpdateError) -> [UInt8] {
        var envelope = magic
        envelope.append(littleEndian: UInt32(1))
        envelope.append(littleEndian: UInt32(0))
        envelope += policy.image
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: privateKey),
            let signature = try? key.signature(for: envelope)
        else { throw .unusableKey }
        return envelope + Array(signature)
    }

    /// Checks and opens an update. Size and first eight bytes are checked first, then the signature, and only then the rest.
    ///
    /// - Parameters:
    ///   - envelope: bytes from an untrusted source.
    ///   - publicKeys: 32 bytes each; the signature must be from one of them. With two, the signer can change keys.
    ///   - floor: the highest version that was ever in use on this machine. An update must be newer. Store the floor
    ///     where an attacker who can replay an old update cannot write.
    public static func open(
        _ envelope: [UInt8],
        trusting publicKeys: [[UInt8]],
        above floor: UInt64
    ) throws(PinUpdateError) -> PinPolicy {
        guard envelope.count <= largest else { throw .tooLarge(bytes: envelope.count, limit: largest) }
        let smallest = headerLength + PinImage.smallest + signatureLength
        guard envelope.count >= smallest else { throw .truncated(needed: smallest, available: envelope.count) }
        guard envelope.starts(with: magic) else { throw .wrongMagic }
        let end = envelope.count - signatureLength
        let signed = envelope[..<end]
        let signature = envelope[end...]
        var keys: [Curve25519.Signing.PublicKey] = []
        for bytes in publicKeys {
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { throw .unusableKey }
            keys.append(key)
        }
        guard keys.contains(where: { $0.isValidSignature(signature, for: signed) }) else { throw .wrongSignature }
        guard littleEndianUInt64(in: envelope.span, at: 8) == 1 else { throw .unknownLayout }
        let policy: PinPolicy
        do throws(PinImageError) {
            policy = try PinPolicy(image: Array(envelope[headerLength..<end]))
        } catch {
            throw .image(error)
        }
        guard policy.version > floor else { throw .rolledBack(version: policy.version, floor: floor) }
        return policy
    }
}
