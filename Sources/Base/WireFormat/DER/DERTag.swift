/// The identifier bytes (X.690 8.1.2) of certificates, keys, and the tokens of RFC 4178 section 4.2 and RFC 2743 section 3.1.
package enum DERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let enumerated: UInt8 = 0x0A
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let generalString: UInt8 = 0x1B
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    /// `[APPLICATION 0]`: the first token of any mechanism of the GSS-API.
    package static let application: UInt8 = 0x60

    /// `[number]`, constructed, context-specific.
    @inlinable @inline(__always)
    package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}
