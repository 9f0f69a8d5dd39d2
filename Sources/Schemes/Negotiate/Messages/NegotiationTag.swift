/// The tags of RFC 4178 section 4.2 and RFC 2743 section 3.1.
enum NegotiationTag {
    static let octets: UInt8 = 0x04
    static let identifier: UInt8 = 0x06
    static let enumerated: UInt8 = 0x0A
    static let bits: UInt8 = 0x03
    static let sequence: UInt8 = 0x30
    static let generalString: UInt8 = 0x1B
    /// `[APPLICATION 0]`: the first token of any mechanism of the GSS-API.
    static let application: UInt8 = 0x60

    /// `[number]`, constructed.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}
