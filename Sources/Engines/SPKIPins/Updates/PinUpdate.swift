internal import Crypto
internal import WireFormat

/// A policy on its way to its users: an image, signed with Ed25519 (RFC 8032).
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
    /// - Parameter privateKey: the 32 bytes of an Ed25519 private key.
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

    /// Opens an update: after its size and its first eight bytes, the signature is checked before anything else is read.
    ///
    /// - Parameters:
    ///   - envelope: bytes from anywhere.
    ///   - publicKeys: 32 bytes each; one of them must have signed. Two allow the signer to change keys.
    ///   - floor: the highest version that was ever in use here. An update must be newer; keep the floor where whoever
    ///     could bring back an old update cannot write.
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

/// Why bytes are no update that may be used.
public enum PinUpdateError: Error, Equatable, Sendable {
    /// There are more bytes than an update has.
    case tooLarge(bytes: Int, limit: Int)
    /// There are fewer bytes than the smallest update has.
    case truncated(needed: Int, available: Int)
    /// The first bytes are not those of an update.
    case wrongMagic
    /// A key is no Ed25519 key of 32 bytes.
    case unusableKey
    /// None of the trusted keys has signed these bytes.
    case wrongSignature
    /// The update was made by a later version of this library.
    case unknownLayout
    /// What was signed is no policy.
    case image(PinImageError)
    /// The update is not newer than what was in use here before.
    case rolledBack(version: UInt64, floor: UInt64)
}

extension PinUpdateError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "pin update of \(bytes) bytes: at most \(limit)"
        case .truncated(let needed, let available):
            "pin update of \(available) bytes, \(needed) at least: fetch it again"
        case .wrongMagic: "this is no pin update; sign a policy"
        case .unusableKey: "an Ed25519 key has 32 bytes; give such keys"
        case .wrongSignature: "pin update that no trusted key has signed: do not use it; ask its maker"
        case .unknownLayout: "pin update of an unknown layout: update this software"
        case .image(let error): "pin update: \(error)"
        case .rolledBack(let version, let floor):
            "pin update of version \(version), but \(floor) was in use: an old update was brought back; ask its maker"
        }
    }
}
