internal import InsecureDigests
internal import WireFormat

/// What ties a handshake to the TLS connection below it (`MsvAvChannelBindings`, MS-NLMP 2.2.2.1; RFC 5929).
///
/// A server that demands them refuses a response that was made for another connection, and so a relayed one.
public struct ChannelBindings: Equatable, Sendable {
    /// MD5 over the structure `gss_channel_bindings_struct` of RFC 2744, 16 bytes.
    package let digest: [UInt8]

    /// Takes the bytes that the application binds to, prefix included: `tls-server-end-point:` and a hash.
    ///
    /// - Complexity: O(*n*).
    public init(applicationData: Span<UInt8>) {
        var structure: [UInt8] = []
        structure.reserveCapacity(20 + applicationData.count)
        // Initiator and acceptor have neither an address type nor an address: two empty pairs of numbers.
        structure.append(littleEndian: UInt64(0))
        structure.append(littleEndian: UInt64(0))
        structure.append(littleEndian: UInt32(truncatingIfNeeded: applicationData.count))
        structure.append(copying: applicationData)
        digest = MD5.hash(structure.span).bytes
    }

    /// Binds to the server's certificate, the kind that HTTPS servers check (RFC 5929 section 4).
    ///
    /// - Parameter certificateHash: the certificate's hash with the hash function of its signature, or with SHA-256
    ///   where that is MD5 or SHA-1.
    public init(tlsServerEndPoint certificateHash: Span<UInt8>) {
        var data = [UInt8]("tls-server-end-point:".utf8)
        data.append(copying: certificateHash)
        self.init(applicationData: data.span)
    }

    /// Takes the value of `MsvAvChannelBindings` itself; `nil` unless it has 16 bytes.
    package init?(digest: Span<UInt8>) {
        guard digest.count == Digest16.count else { return nil }
        self.digest = [UInt8](copying: digest)
    }

    /// Binds to keying material of the TLS connection itself, the kind for TLS 1.3 (RFC 9266 section 2).
    ///
    /// - Parameter keyingMaterial: 32 bytes exported from the connection (RFC 8446 section 7.5) with the label
    ///   `EXPORTER-Channel-Binding` and an empty context.
    /// - Throws: `wrongLength` unless there are 32 bytes.
    public init(tlsExporter keyingMaterial: Span<UInt8>) throws(NTLMKeyError) {
        guard keyingMaterial.count == 32 else {
            throw .wrongLength(expected: 32, found: keyingMaterial.count)
        }
        var data = [UInt8]("tls-exporter:".utf8)
        data.append(copying: keyingMaterial)
        self.init(applicationData: data.span)
    }
}
