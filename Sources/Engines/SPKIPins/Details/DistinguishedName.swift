internal import WireFormat

/// Names of subjects and issuers as RFC 4514 writes them.
package enum DistinguishedName {
    /// The short names of RFC 4514 section 3; other attributes are written with their dotted identifier.
    private static let shortNames = [
        "2.5.4.3": "CN", "2.5.4.7": "L", "2.5.4.8": "ST", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.6": "C",
        "2.5.4.9": "STREET", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID",
    ]

    /// The subject's name of a certificate in DER, or `nil` if it cannot be read.
    static func subject(of certificate: [UInt8]) -> String? {
        do throws(CertificateError) {
            let walk = try CertificateWalk(of: certificate.span)
            return try text(of: walk.subject, in: certificate.span)
        } catch {
            return nil
        }
    }

    /// The text of a Name in DER, such as an authority in a CertificateRequest; `nil` if it cannot be read.
    package static func text(ofName name: [UInt8]) -> String? { try? text(of: 0..<name.count, in: name.span) }

    /// The name at `range`, its last part first.
    ///
    /// Values are readable text also behind a dotted identifier, where RFC 4514 would have hexadecimal digits; a string
    /// without an agreed text is written in these.
    static func text(of range: Range<Int>, in bytes: Span<UInt8>) throws(CertificateError) -> String {
        var outer = DERReader(over: range)
        var sets = DERReader(over: try outer.readElement(DERTag.sequence, in: bytes).contents)
        var parts: [String] = []
        while !sets.isAtEnd {
            let set = try sets.readElement(DERTag.set, in: bytes)
            guard !set.contents.isEmpty else { throw .invalidContents(offset: set.start) }
            var attributes = DERReader(over: set.contents)
            var values: [String] = []
            while !attributes.isAtEnd {
                let attribute = try attributes.readElement(DERTag.sequence, in: bytes)
                var pair = DERReader(over: attribute.contents)
                let type = try dottedIdentifier(&pair, in: bytes)
                let value = try pair.readElement(in: bytes)
                try pair.finish()
                values.append("\(shortNames[type] ?? type)=\(try text(of: value, in: bytes))")
            }
            parts.append(values.joined(separator: "+"))
        }
        return parts.reversed().joined(separator: ",")
    }

    private static func text(of value: DERElement, in bytes: Span<UInt8>) throws(CertificateError) -> String {
        let contents = [UInt8](copying: bytes.extracting(value.contents))
        switch value.tag {
        // UTF8String
        case 0x0C:
            guard let text = String(validating: contents, as: UTF8.self) else {
                throw .invalidContents(offset: value.start)
            }
            return escaped(text)
        // NumericString, PrintableString, IA5String, VisibleString: ASCII.
        case 0x12, 0x13, 0x16, 0x1A:
            guard contents.allSatisfy({ $0 < 0x80 }) else { throw .invalidContents(offset: value.start) }
            return escaped(String(decoding: contents, as: UTF8.self))
        // TeletexString, which everybody takes for Latin-1.
        case 0x14: return escaped(String(String.UnicodeScalarView(contents.map { Unicode.Scalar($0) })))
        // BMPString: UTF-16 without surrogates, most significant byte first.
        case 0x1E:
            guard contents.count % 2 == 0 else { throw .invalidContents(offset: value.start) }
            let units = stride(from: 0, to: contents.count, by: 2).map {
                UInt16(contents[$0]) << 8 | UInt16(contents[$0 + 1])
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw .invalidContents(offset: value.start)
            }
            return escaped(text)
        // UniversalString and BIT STRING (x500UniqueIdentifier) have no text that everybody agrees on.
        case 0x1C: return "#" + Hexadecimal.encode(bytes.extracting(value.range))
        case DERTag.bitString:
            try CertificateFrame.checkBitString(value, in: bytes)
            return "#" + Hexadecimal.encode(bytes.extracting(value.range))
        default: throw .invalidContents(offset: value.start)
        }
    }

    /// RFC 4514 2.4; control characters too, so that a name cannot steer a terminal.
    private static func escaped(_ text: String) -> String {
        var result = ""
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isEdge = index == 0 || index == scalars.count - 1
            switch scalar {
            case ",", "+", "\"", "\\", "<", ">", ";":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case " " where isEdge, "#" where index == 0:
                result += "\\"
                result.unicodeScalars.append(scalar)
            default:
                if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                    for byte in String(scalar).utf8 {
                        let bytes = [byte]
                        result += "\\" + Hexadecimal.encode(bytes.span).uppercased()
                    }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
