/// The bounds of what is exchanged with the library and the peer.
public enum KerberosLimits {
    /// Bytes of a token: a ticket of an account in very many groups has up to 64 KB.
    public static let tokenBytes = 65_536
    /// Messages from the peer to one side of a log-on. Kerberos takes one; a second is allowed for a library's retry.
    public static let steps = 3
    /// Bytes of an account, host, realm, cache or keytab.
    public static let nameBytes = 1_024
    /// Bytes of a password.
    public static let passwordBytes = 1_024
    /// Bytes of a channel binding: the prefix `tls-server-end-point:` and a digest have at most 85.
    public static let bindingBytes = 1_024
    /// Bytes of a message that is signed or verified.
    public static let messageBytes = 65_536
}
