/// The kinds of PEM blocks by their labels (RFC 7468 and OpenSSL).
package enum PEMLabel {
    /// The kind in words, and the label.
    package static func description(of label: String) -> String {
        let what =
            switch label {
            case "X509 CRL": "a list of revoked certificates"
            case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": "a request for a certificate"
            case "PKCS7", "CMS": "a PKCS #7 message"
            case "ATTRIBUTE CERTIFICATE": "a certificate without a key"
            case let key where key.hasSuffix("PRIVATE KEY"): "a private key"
            case let key where key.hasSuffix("PUBLIC KEY"): "a public key"
            case let parameters where parameters.hasSuffix("PARAMETERS"): "parameters of a key"
            default: "a block of another kind"
            }
        return "\(what) (\(label))"
    }

    /// Why an input has no certificate, and what to do.
    ///
    /// - Parameter labels: the labels of its PEM blocks.
    package static func noCertificate(besides labels: [String]) -> String {
        guard !labels.isEmpty else { return "contains no certificate; give PEM or DER" }
        let found = labels.map(description).joined(separator: ", ")
        let remedy =
            labels.contains { ["PKCS7", "CMS"].contains($0) }
            ? "write its certificates to another file with 'openssl pkcs7 -print_certs', and give that file"
            : "give certificates in PEM or DER"
        return "contains no certificate, but \(found); \(remedy)"
    }
}
