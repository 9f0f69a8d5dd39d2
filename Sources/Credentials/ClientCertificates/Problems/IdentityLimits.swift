/// The bounds of what is read from the files of an identity.
public enum IdentityLimits {
    /// The most bytes of a file. A key with ten certificates has about 20 KiB.
    public static let fileBytes = 1 << 20
    /// The most rounds of all key derivations of one file. OpenSSL writes 2,048 for each, Windows up to 600,000.
    public static let iterations = 5_000_000
    /// The most certificates of a file.
    public static let certificates = 64
    /// The most private keys of a file, of which one is chosen.
    public static let keys = 16
    /// The most characters of a key's name in PKCS#12.
    static let nameCharacters = 256
    /// The most bytes of a private key. An RSA key of 8,192 bits has 4,700.
    public static let keyBytes = 8_192
    /// The most bytes of a passphrase.
    public static let passphraseBytes = 1_024
    /// The most elements inside each other whose end is marked and not counted.
    static let nesting = 16
    /// The most safes inside each other.
    static let safes = 4
    /// The most bytes of a salt.
    static let saltBytes = 1_024
}
