internal import Sallyport

extension CertificateRequest {
    /// Reads the body of a CertificateRequest of TLS 1.2 (RFC 5246 section 7.4.4).
    ///
    /// ```
    /// ClientCertificateType    certificate_types<1..2^8-1>
    /// SignatureAndHashAlgorithm supported_signature_algorithms<2..2^16-2>
    /// DistinguishedName        certificate_authorities<0..2^16-1>
    /// ```
    init?(ofTLS12 body: ArraySlice<UInt8>) {
        var reader = WireReader(body)
        guard let types = reader.vector(1), !types.isEmpty, let algorithms = reader.vector(2),
            let schemes = Self.schemes(algorithms), let names = reader.vector(2),
            let authorities = Self.authorities(names), reader.isAtEnd
        else { return nil }
        self.init(
            version: .tls12,
            authorities: authorities,
            signatureSchemes: schemes,
            certificateTypes: Array(types)
        )
    }

    /// Reads the body of a CertificateRequest of TLS 1.3 (RFC 8446 section 4.3.2): a context and extensions.
    init?(ofTLS13 body: ArraySlice<UInt8>) {
        var reader = WireReader(body)
        guard reader.vector(1) != nil, let block = reader.vector(2), reader.isAtEnd else { return nil }
        var extensions = WireReader(block)
        var (schemes, authorities): ([UInt16]?, [[UInt8]]) = (nil, [])
        while !extensions.isAtEnd {
            guard let type = extensions.number(2), let contents = extensions.vector(2) else { return nil }
            var inside = WireReader(contents)
            switch type {
            case 13:
                guard let list = inside.vector(2), inside.isAtEnd, let found = Self.schemes(list) else { return nil }
                schemes = found
            case 47:
                guard let list = inside.vector(2), inside.isAtEnd, let found = Self.authorities(list) else {
                    return nil
                }
                authorities = found
            default: break
            }
        }
        // The extension signature_algorithms is mandatory.
        guard let schemes else { return nil }
        self.init(version: .tls13, authorities: authorities, signatureSchemes: schemes)
    }

    private static func schemes(_ list: ArraySlice<UInt8>) -> [UInt16]? {
        guard !list.isEmpty, list.count % 2 == 0 else { return nil }
        var reader = WireReader(list)
        var schemes: [UInt16] = []
        while let scheme = reader.number(2) { schemes.append(UInt16(scheme)) }
        return schemes
    }

    private static func authorities(_ list: ArraySlice<UInt8>) -> [[UInt8]]? {
        var reader = WireReader(list)
        var names: [[UInt8]] = []
        while !reader.isAtEnd {
            guard let name = reader.vector(2), !name.isEmpty else { return nil }
            names.append(Array(name))
        }
        return names
    }
}
