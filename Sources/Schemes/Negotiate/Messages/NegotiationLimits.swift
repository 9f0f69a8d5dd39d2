/// The bounds on SPNEGO.
public enum NegotiationLimits {
    /// Bytes of one token: a Kerberos ticket of 64 KiB and its frame. In base64 it fits into the longest header field that is read.
    public static let tokenBytes = 70 * 1024
    /// Mechanisms in one list.
    public static let mechanisms = 32
    /// Bytes of one object identifier.
    public static let identifierBytes = 64
    /// Tokens that a client sends in one negotiation, and that a server reads. Kerberos and NTLM with a change between them need four.
    public static let tokens = 8
}
