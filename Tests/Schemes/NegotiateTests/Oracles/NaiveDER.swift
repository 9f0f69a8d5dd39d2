/// DER by the letter of X.690, without care for speed or bounds: what the target writes and reads is compared with it.
indirect enum NaiveDER: Equatable {
    case primitive(UInt8, [UInt8])
    case constructed(UInt8, [NaiveDER])

    var bytes: [UInt8] {
        switch self {
        case .primitive(let tag, let content): [tag] + Self.length(content.count) + content
        case .constructed(let tag, let parts):
            [tag] + Self.length(parts.flatMap(\.bytes).count) + parts.flatMap(\.bytes)
        }
    }

    /// X.690 8.1.3 and 10.1.
    static func length(_ count: Int) -> [UInt8] {
        guard count > 127 else { return [UInt8(count)] }
        var digits: [UInt8] = []
        var rest = count
        while rest > 0 {
            digits.insert(UInt8(rest % 256), at: 0)
            rest /= 256
        }
        return [0x80 + UInt8(digits.count)] + digits
    }

    /// An object identifier, from its arcs.
    static func identifier(_ text: String) -> NaiveDER {
        var arcs = text.split(separator: ".").compactMap { Int($0) }
        let first = arcs.removeFirst() * 40 + arcs.removeFirst()
        var content: [UInt8] = []
        for arc in [first] + arcs {
            var groups = [UInt8(arc % 128)]
            var rest = arc / 128
            while rest > 0 {
                groups.insert(UInt8(rest % 128) + 128, at: 0)
                rest /= 128
            }
            content += groups
        }
        return .primitive(0x06, content)
    }

    static let spnego = "1.3.6.1.5.5.2"
    static let kerberos = "1.2.840.113554.1.2.2"
    static let microsoftKerberos = "1.2.840.48018.1.2.2"
    static let ntlm = "1.3.6.1.4.1.311.2.2.10"
    static let negoEx = "1.3.6.1.4.1.311.2.2.30"

    /// `NegTokenInit` and `NegTokenInit2` (RFC 4178 section 4.2.1, MS-SPNG 2.2.1).
    static func initial(
        _ mechanisms: [String],
        flags: [UInt8]? = nil,
        token: [UInt8]? = nil,
        hint: String? = nil,
        code: [UInt8]? = nil
    ) -> NaiveDER {
        var fields: [NaiveDER] = [.constructed(0xA0, [.constructed(0x30, mechanisms.map(identifier))])]
        if let flags { fields.append(.constructed(0xA1, [.primitive(0x03, flags)])) }
        if let token { fields.append(.constructed(0xA2, [.primitive(0x04, token)])) }
        if let hint {
            fields.append(
                .constructed(0xA3, [.constructed(0x30, [.constructed(0xA0, [.primitive(0x1B, Array(hint.utf8))])])])
            )
        }
        if let code { fields.append(.constructed(hint == nil ? 0xA3 : 0xA4, [.primitive(0x04, code)])) }
        return .constructed(0x60, [identifier(spnego), .constructed(0xA0, [.constructed(0x30, fields)])])
    }

    /// `NegTokenResp` (RFC 4178 section 4.2.2).
    static func response(
        _ state: UInt8? = nil,
        mechanism: String? = nil,
        token: [UInt8]? = nil,
        code: [UInt8]? = nil
    ) -> NaiveDER {
        var fields: [NaiveDER] = []
        if let state { fields.append(.constructed(0xA0, [.primitive(0x0A, [state])])) }
        if let mechanism { fields.append(.constructed(0xA1, [identifier(mechanism)])) }
        if let token { fields.append(.constructed(0xA2, [.primitive(0x04, token)])) }
        if let code { fields.append(.constructed(0xA3, [.primitive(0x04, code)])) }
        return .constructed(0xA1, [.constructed(0x30, fields)])
    }
}
