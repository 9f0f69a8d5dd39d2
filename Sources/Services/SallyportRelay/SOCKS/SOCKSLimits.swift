/// The bounds of SOCKS version 5.
enum SOCKSLimits {
    /// The most bytes of a user name, a password (RFC 1929 section 2) or a host name (RFC 1928 section 5), by their length fields.
    static let nameBytes = 255
    /// The longest reply: a head of five bytes, a name, and a port (RFC 1928 section 6).
    static let replyBytes = 5 + nameBytes + 2
}
