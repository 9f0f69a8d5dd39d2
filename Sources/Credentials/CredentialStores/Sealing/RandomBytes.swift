internal import WireFormat

/// Random bytes of the system, for salts and identifiers.
func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    while bytes.count < count { bytes.append(littleEndian: generator.next()) }
    return Array(bytes.prefix(count))
}
