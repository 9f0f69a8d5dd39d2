/// The identifier bytes (X.690 8.1.2) in the frame of a certificate.
package enum DERTag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let null: UInt8 = 0x05
    package static let objectIdentifier: UInt8 = 0x06
    package static let utcTime: UInt8 = 0x17
    package static let generalizedTime: UInt8 = 0x18
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    /// Constructed, context-specific, number 0.
    package static let explicit0: UInt8 = 0xA0
    /// Constructed, context-specific, number 3.
    package static let explicit3: UInt8 = 0xA3
}
