public import SPKIPins
internal import WireFormat

/// Why an update must not be used.
public enum PinUpdateError: Error, Equatable, Sendable {
    /// The update is larger than the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The update is smaller than the smallest possible one.
    case truncated(needed: Int, available: Int)
    /// The bytes do not start with the mark of an update.
    case wrongMagic
    /// A key is not an Ed25519 key of 32 bytes.
    case unusableKey
    /// A file has no key in PEM with this label.
    case noKey(String)
    /// The private key of a file is encrypted.
    case encryptedKey
    /// The signature is not from a trusted key.
    case wrongSignature
    /// The layout number is unknown: a later version of this library wrote the update.
    case unknownLayout
    /// The signed bytes are not a policy.
    case image(PinImageError)
    /// The update is not newer than the highest version in use before.
    case rolledBack(version: UInt64, floor: UInt64)
    /// The policy in use cannot be read, so its version is not known.
    case unreadablePolicy(path: String, PinImageError)
    /// The file of the policy cannot be replaced; `code` is `errno`.
    case notReplaced(path: String, code: Int32)
    /// Another process holds the lock of the file for too long.
    case lockedTooLong(path: String)
}

extension PinUpdateError: CustomStringConvertible {
    /// One line: what is wrong and what to do.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "pin update of \(bytes) bytes: at most \(limit)"
        case .truncated(let needed, let available):
            "pin update of \(available) bytes: expected at least \(needed); fetch it again"
        case .wrongMagic: "pin update: does not start with SPKIPUPD; give an update that PinUpdate.sign made"
        case .unusableKey: "pin update: a key is not an Ed25519 key; make one with 'openssl genpkey -algorithm ed25519'"
        case .noKey("PUBLIC KEY"):
            "pin update: there is no PUBLIC KEY in PEM; write one with 'openssl pkey -in KEY -pubout'"
        case .noKey(let label):
            "pin update: there is no \(label) in PEM; make one with 'openssl genpkey -algorithm ed25519'"
        case .encryptedKey:
            "pin update: the private key is encrypted; decrypt it into a pipe, with 'openssl pkey -in KEY'"
        case .wrongSignature: "pin update: the signature is not from a trusted key; discard it and ask its publisher"
        case .unknownLayout: "pin update: unknown layout; update this software"
        case .image(let error): "pin update: \(error)"
        case .rolledBack(let version, let floor):
            "pin update of version \(version), but version \(floor) was in use; ask its publisher for a newer one"
        case .unreadablePolicy(let path, let error): "\(VisibleText.quoted(path)): \(error)"
        case .notReplaced(let path, let code):
            "\(VisibleText.quoted(path)): cannot be replaced (\(SystemReason.text(code))); check path, permissions and space"
        case .lockedTooLong(let path):
            "\(VisibleText.quoted(path + ".lock")): another process has held the lock for \(FileLock.limit.components.seconds) s; end that process, or try again"
        }
    }
}
