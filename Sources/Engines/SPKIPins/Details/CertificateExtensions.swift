internal import WireFormat

/// The extensions of a certificate (RFC 5280 section 4.2).
enum CertificateExtensions {
    /// An extension: its dotted identifier, and where its value lies.
    struct Item {
        let identifier: String
        /// The contents of the OCTET STRING.
        let value: Range<Int>
    }

    /// All extensions of one certificate in DER, in their order.
    ///
    /// - Complexity: O(*n*).
    static func items(of certificate: Span<UInt8>) throws(CertificateError) -> [Item] {
        // The walk checks the frame up to the key.
        _ = try CertificateWalk(of: certificate)
        var whole = DERReader(over: 0..<certificate.count)
        var parts = DERReader(over: try whole.readElement(DERTag.sequence, in: certificate).contents)
        var fields = DERReader(over: try parts.readElement(DERTag.sequence, in: certificate).contents)
        _ = try fields.readElement(ifTag: DERTag.explicit0, in: certificate)
        _ = try fields.readElement(DERTag.integer, in: certificate)
        // Signature, issuer, validity, subject, key.
        for _ in 0..<5 { _ = try fields.readElement(DERTag.sequence, in: certificate) }
        var items: [Item] = []
        while !fields.isAtEnd {
            let field = try fields.readElement(in: certificate)
            guard field.tag == DERTag.explicit3 else { continue }
            var inside = DERReader(over: field.contents)
            var list = DERReader(over: try inside.readElement(DERTag.sequence, in: certificate).contents)
            try inside.finish()
            while !list.isAtEnd {
                var item = DERReader(over: try list.readElement(DERTag.sequence, in: certificate).contents)
                let identifier = try dottedIdentifier(&item, in: certificate)
                _ = try item.readElement(ifTag: DERTag.boolean, in: certificate)
                let value = try item.readElement(DERTag.octetString, in: certificate)
                try item.finish()
                items.append(Item(identifier: identifier, value: value.contents))
            }
        }
        return items
    }
}
