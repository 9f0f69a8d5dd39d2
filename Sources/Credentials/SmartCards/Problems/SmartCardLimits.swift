/// The bounds of what is read from a card, and of waiting for it.
public enum SmartCardLimits {
    /// The most bytes of a URI.
    public static let uriBytes = 4_096
    /// The most slots with a card.
    public static let slots = 256
    /// The most certificates of a card, and the most private keys.
    public static let objects = 256
    /// The most bytes of a certificate.
    public static let certificateBytes = 65_536
    /// The most bytes of an object's identifier or label.
    public static let nameBytes = 1_024
    /// The most mechanisms of a slot.
    public static let mechanisms = 1_024
    /// The most bytes of a signature. An RSA key of 8,192 bits makes 1,024.
    public static let signatureBytes = 1_024
    /// The most bytes of a message to be signed.
    public static let messageBytes = 1 << 20
    /// The most bytes of a PIN.
    public static let pinBytes = 255
    /// The most requests that wait for one card.
    public static let waitingRequests = 1_024
    /// The most cards of which this process remembers refused PINs, and the most PINs of one card.
    static let rememberedCards = 256
    static let rememberedPINs = 16
}
