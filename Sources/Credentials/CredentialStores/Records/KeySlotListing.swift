/// How the key of a slot is given.
public enum KeySlotKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A passphrase that a person types.
    case passphrase = 1
    /// A file of 32 random bytes.
    case keyFile = 2
    /// A credential of systemd, of 32 random bytes.
    case systemdCredential = 3
}

extension KeySlotKind: CustomStringConvertible {
    /// The kind in words.
    public var description: String {
        switch self {
        case .passphrase: "passphrase"
        case .keyFile: "key file"
        case .systemdCredential: "systemd credential"
        }
    }
}

/// A key slot of a sealed file: what is known of it without its key.
public struct KeySlotListing: Hashable, Sendable {
    /// Its number, by which it is removed.
    public let number: UInt32
    /// How its key is given.
    public let kind: KeySlotKind
    /// When it was added, in seconds since 1970.
    public let created: Int64
}
