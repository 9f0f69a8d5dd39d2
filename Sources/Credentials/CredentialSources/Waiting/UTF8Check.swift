/// Whether bytes are UTF-8 (RFC 3629), without a text: a text of a secret could not be erased.
package enum UTF8Check {
    /// The length of the character that starts at `offset`; 0 if none does.
    ///
    /// - Precondition: `offset` lies inside `bytes`.
    static func characterLength(in bytes: Span<UInt8>, at offset: Int) -> Int {
        let first = bytes[offset]
        // The second byte has a narrower range after some first bytes: no surrogates, no longer form than needed.
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0...0x7F: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return 0
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return 0 }
        for index in offset + 2..<offset + length where bytes[index] & 0xC0 != 0x80 { return 0 }
        return length
    }

    /// Whether all bytes are UTF-8.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let length = characterLength(in: bytes, at: offset)
            guard length > 0 else { return false }
            offset += length
        }
        return true
    }

    /// Whether bytes are UTF-8 without the control characters of ASCII.
    static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        isValid(bytes) && bytes.indices.allSatisfy { bytes[$0] >= 0x20 && bytes[$0] != 0x7F }
    }
}
