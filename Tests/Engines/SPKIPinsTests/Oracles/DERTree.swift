/// A DER parser in its most obvious form: recursive, copying, a tree with all children. Slow on purpose.
indirect enum DERTree {
    /// `children` is `nil` when the element is primitive, or when its contents are no elements.
    case element(tag: UInt8, bytes: [UInt8], contents: [UInt8], children: [DERTree]?)

    var tag: UInt8 { if case .element(let tag, _, _, _) = self { tag } else { 0 } }
    var bytes: [UInt8] { if case .element(_, let bytes, _, _) = self { bytes } else { [] } }
    var contents: [UInt8] { if case .element(_, _, let contents, _) = self { contents } else { [] } }
    var children: [DERTree]? { if case .element(_, _, _, let children) = self { children } else { nil } }

    /// All elements that follow each other in `bytes`, or `nil` if they do not fill it.
    static func parseAll(_ bytes: [UInt8]) -> [DERTree]? {
        guard !bytes.isEmpty else { return [] }
        guard let first = parseFirst(bytes), let rest = parseAll(Array(bytes.dropFirst(first.bytes.count))) else {
            return nil
        }
        return [first] + rest
    }

    private static func parseFirst(_ bytes: [UInt8]) -> DERTree? {
        guard bytes.count >= 2, bytes[0] % 32 != 31 else { return nil }
        var header = 2
        var length = UInt64(bytes[1])
        if bytes[1] >= 128 {
            let count = Int(bytes[1]) - 128
            guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
            header += count
            length = bytes[2..<header].reduce(0) { $0 * 256 + UInt64($1) }
            // The shortest form of this length, written out and compared.
            var shortest: [UInt8] = []
            var rest = length
            while rest > 0 {
                shortest.insert(UInt8(rest % 256), at: 0)
                rest /= 256
            }
            guard length >= 128, shortest == Array(bytes[2..<header]) else { return nil }
        }
        guard UInt64(bytes.count - header) >= length else { return nil }
        let all = Array(bytes[0..<header + Int(length)])
        let contents = Array(all.dropFirst(header))
        let isConstructed = bytes[0] & 0x20 != 0
        return .element(
            tag: bytes[0],
            bytes: all,
            contents: contents,
            children: isConstructed ? parseAll(contents) : nil
        )
    }

    /// The bytes of SubjectPublicKeyInfo in a certificate (RFC 5280 4.1), or `nil` if it is none.
    static func subjectPublicKeyInfo(of certificate: [UInt8]) -> [UInt8]? {
        guard let top = parseAll(certificate), top.count == 1, top[0].tag == 0x30,
            let parts = top[0].children, parts.map(\.tag) == [0x30, 0x30, 0x03],
            var fields = parts[0].children
        else { return nil }
        if fields.first?.tag == 0xA0 {
            guard fields.removeFirst().children?.map(\.tag) == [0x02] else { return nil }
        }
        guard fields.count >= 6, fields.prefix(6).map(\.tag) == [0x02, 0x30, 0x30, 0x30, 0x30, 0x30],
            let times = fields[3].children, times.count == 2,
            times.allSatisfy({ $0.tag == 0x17 || $0.tag == 0x18 }),
            let key = fields[5].children, key.map(\.tag) == [0x30, 0x03],
            let unusedBits = key[1].contents.first, unusedBits <= 7
        else { return nil }
        return fields[5].bytes
    }
}
