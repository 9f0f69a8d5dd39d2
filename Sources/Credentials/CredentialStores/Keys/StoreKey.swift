public import Secrets

/// What opens a sealed file.
public enum StoreKey: Sendable {
    /// What a person types: 1 to ``CredentialLimits/passphraseBytes`` bytes of UTF-8. It costs about half a second and 128 MiB.
    case passphrase(SharedSecret)
    /// A file of 32 random bytes that only its owner may read, or the group that shares the store; ``makeKeyFile(at:sharedWith:)`` makes one.
    case keyFile(path: String)
    /// A file of 32 random bytes below `$CREDENTIALS_DIRECTORY`, which systemd gives to a service (`LoadCredential=`).
    case systemdCredential(name: String)

    /// The kind of slot that this key opens.
    public var kind: KeySlotKind {
        switch self {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        case .systemdCredential: .systemdCredential
        }
    }
}

extension StoreKey: CustomStringConvertible, CustomReflectable {
    /// The kind and the place, without the key.
    public var description: String {
        switch self {
        case .passphrase: "passphrase"
        case .keyFile(let path): "key file '\(path)'"
        case .systemdCredential(let name): "systemd credential '\(name)'"
        }
    }

    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The bytes of a key, read once for all slots that it may open.
struct KeyMaterial {
    let kind: KeySlotKind
    private let secret: SharedSecret

    init(kind: KeySlotKind, secret: SharedSecret) {
        self.kind = kind
        self.secret = secret
    }

    /// The key that wraps the data key in a slot.
    ///
    /// - Parameter cost: for a passphrase; `nil` for other kinds.
    /// - Returns: `nil` if the memory for scrypt is not available.
    func wrappingKey(salt: [UInt8], cost: ScryptCost?) -> SealingKey? {
        if let cost { return SealingKey.scrypt(secret, salt: salt, cost: cost) }
        return secret.withBytes { SealingKey(copying: $0) }.derived(salt: salt, purpose: "sallyport key slot")
    }
}
