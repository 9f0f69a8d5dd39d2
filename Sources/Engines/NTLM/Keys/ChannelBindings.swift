internal import InsecureDigests
internal import WireFormat

/// Binds a handshake to its TLS connection (`MsvAvChannelBindings`, MS-NLMP 2.2.2.1; RFC 5929).
///
/// A server that requires bindings refuses a response that was made for another connection, for example a relayed one.
public struct ChannelBindings: Equatable, Sendable {
    /// MD5 of the structure `gss_channel_bindings_struct` (RFC 2744), 16 bytes.
    package let digest: [UInt8]
    /// The application data, for other mechanisms of the GSS-API; `nil` if only its digest is known.
    package let applicationData: [UInt8]?

    /// Takes the application data with its prefix, such as `tls-server-end-point:` and a hash.
    ///
    /// - Complexity: O(*n*).
    public init(applicationData: Span<UInt8>) { self.init(data: [UInt8](copying: applicationData)) }

    private init(data: [UInt8]) {
        var structure: [UInt8] = []
        structure.reserveCapacity(20 + data.count)
        // Address type and address length of initiator and acceptor: four zeros, because neither has an address.
        structure.append(littleEndian: UInt64(0))
        structure.append(littleEndian: UInt64(0))
        structure.append(littleEndian: UInt32(truncatingIfNeeded: data.count))
        structure.append(contentsOf: data)
        assert(structure.count == 20 + data.count, "five fields of 4 bytes precede the data")
        digest = MD5.hash(structure.span).bytes
        applicationData = data
    }

    /// Binds to the server's certificate (RFC 5929 section 4). HTTPS servers check this kind.
    ///
    /// - Parameter certificateHash: the hash of the certificate in DER, with the hash function of its signature;
    ///   SHA-256 if that is MD5 or SHA-1.
    public init(tlsServerEndPoint certificateHash: Span<UInt8>) {
        var data = [UInt8]("tls-server-end-point:".utf8)
        data.append(copying: certificateHash)
        self.init(data: data)
    }

    /// Takes the value of `MsvAvChannelBindings`; `nil` unless it has 16 bytes.
    package init?(digest: Span<UInt8>) {
        guard digest.count == Digest16.count else { return nil }
        self.digest = [UInt8](copying: digest)
        applicationData = nil
    }

    /// Binds to keying material of the TLS connection, for TLS 1.3 (RFC 9266 section 2).
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
        self.init(data: data)
    }
}
