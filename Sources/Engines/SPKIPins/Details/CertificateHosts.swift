internal import Hostnames
internal import WireFormat

/// The hosts that a certificate names: the DNS names and addresses of its subjectAltName (RFC 5280 section 4.2.1.6).
package enum CertificateHosts {
    /// The hosts as texts, in their order. Other kinds of names, such as those of mail, are left out.
    ///
    /// Nothing is checked about a DNS name: it is what the maker of the certificate wrote, so escape it before you show it.
    ///
    /// - Parameters:
    ///   - certificate: one certificate in DER.
    ///   - limit: the most hosts that are read.
    /// - Complexity: O(*n*).
    package static func texts(of certificate: Span<UInt8>, atMost limit: Int) throws(CertificateError) -> [String] {
        var texts: [String] = []
        for item in try CertificateExtensions.items(of: certificate) where item.identifier == "2.5.29.17" {
            var reader = DERReader(over: item.value)
            var names = DERReader(over: try reader.readElement(DERTag.sequence, in: certificate).contents)
            try reader.finish()
            while !names.isAtEnd, texts.count < limit {
                let name = try names.readElement(in: certificate)
                switch (name.tag, name.contents.count) {
                // dNSName [2] IA5String.
                case (0x82, _):
                    texts.append(String(decoding: name.contents.map { certificate[$0] }, as: UTF8.self))
                // iPAddress [7] OCTET STRING, in the order of the network.
                case (0x87, 4):
                    let number = name.contents.reduce(UInt32(0)) { $0 << 8 | UInt32(certificate[$1]) }
                    texts.append("\(IPv4Address(rawValue: number))")
                case (0x87, 16):
                    let number = name.contents.reduce(UInt128(0)) { $0 << 8 | UInt128(certificate[$1]) }
                    texts.append("\(IPv6Address(rawValue: number))")
                default: continue
                }
            }
        }
        return texts
    }
}
