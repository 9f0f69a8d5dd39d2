internal import Secrets

/// The bounds of what a store keeps. Each store refuses what exceeds them.
public enum CredentialLimits {
    /// The most credentials in one store.
    public static let records = 10_000
    /// The most credentials for one scheme and host of one party, because a lookup unseals all of them.
    public static let recordsPerHost = 256
    /// The most bytes of the secret of a record. An access token is kept with its issuer and its scope, of a response of up to 256 KiB, and an
    /// identity with its chain, so this is more than one secret has.
    public static let secretBytes = 8 * SecretLimits.bytes
    /// The most UTF-8 bytes of a user name. It may be empty, as for a token.
    public static let userBytes = 1024
    /// The most UTF-8 bytes of a domain.
    public static let domainBytes = 255
    /// The most UTF-8 bytes of a realm.
    public static let realmBytes = 1024
    /// The most UTF-8 bytes of a path.
    public static let pathBytes = 4096
    /// The most UTF-8 bytes of the name of a kind.
    public static let kindBytes = 32
    /// The most key slots of a sealed file.
    public static let keySlots = 8
    /// The most UTF-8 bytes of a passphrase.
    public static let passphraseBytes = 1024
    /// The bytes of a key file or of a systemd credential that opens a sealed file.
    public static let keyFileBytes = 32
    /// The most bytes of a sealed file.
    public static let fileBytes = 64 << 20
    /// How long a call of the keyring may take.
    public static let keyringCallTime = Duration.seconds(10)
    /// How long it may take if a dialog may ask a person for the keyring's password.
    public static let keyringDialogTime = Duration.seconds(120)
    /// The most calls that wait for the keyring; more are refused.
    public static let keyringCalls = 64
}
