public import NIOCore

/// The bounds of an ``AuthenticationServerHandler``, and what it cannot see by itself.
public struct AuthenticationServerOptions: Sendable {
    /// How long the directory may take for one question. Then the client gets 503.
    public var directoryPatience: TimeAmount
    /// The most bytes of a refused request's body that are read and dropped. Beyond it the connection is closed.
    public var mostDroppedBytes: Int
    /// How long a client may take to send the body of a refused request. Then it gets the response, and the connection is closed.
    public var droppingPatience: TimeAmount
    /// Whether the connection has TLS; `nil` to look for NIOSSL's handler in the pipeline. Set it behind a proxy that ends TLS.
    public var isEncrypted: Bool?
    /// Whether all requests of the connection come from one client. Behind a proxy that shares connections they do not, and
    /// NTLM is not offered.
    public var isPinned: Bool
    /// Whether wrong passwords are counted by the peer's address. Behind a proxy all clients have its address.
    public var countsAddresses: Bool
    /// The certificate that the connection's TLS shows to clients, in DER; `nil` if it is not known. NTLM and Kerberos compare with it what
    /// clients send as their channel binding. Without it the channel bindings in the options of the authenticator count.
    public var certificate: [UInt8]?
    /// What becomes of those bindings. With ``ChannelBindingDemand/required`` and no certificate, every such client is refused.
    public var channelBinding: ChannelBindingDemand

    /// Makes options.
    ///
    /// - Parameters:
    ///   - directoryPatience: how long the directory may take for one question.
    ///   - mostDroppedBytes: the most bytes of a refused request's body that are read and dropped.
    ///   - droppingPatience: how long a client may take to send the body of a refused request.
    ///   - isEncrypted: whether the connection has TLS; `nil` to look for NIOSSL's handler in the pipeline.
    ///   - isPinned: whether all requests of the connection come from one client.
    ///   - countsAddresses: whether wrong passwords are counted by the peer's address.
    ///   - certificate: the certificate that the connection's TLS shows to clients, in DER.
    ///   - channelBinding: what becomes of the bindings to that certificate.
    public init(
        directoryPatience: TimeAmount = .seconds(30),
        mostDroppedBytes: Int = 16 << 20,
        droppingPatience: TimeAmount = .seconds(10),
        isEncrypted: Bool? = nil,
        isPinned: Bool = true,
        countsAddresses: Bool = true,
        certificate: [UInt8]? = nil,
        channelBinding: ChannelBindingDemand = .accepted
    ) {
        self.certificate = certificate
        self.channelBinding = channelBinding
        self.directoryPatience = directoryPatience
        self.mostDroppedBytes = max(0, mostDroppedBytes)
        self.droppingPatience = droppingPatience
        self.isEncrypted = isEncrypted
        self.isPinned = isPinned
        self.countsAddresses = countsAddresses
    }
}
