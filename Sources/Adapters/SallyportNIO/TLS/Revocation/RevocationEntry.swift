/// The entries of a list in DER, each found by the offset of its SEQUENCE, and the order of their serial numbers.
enum RevocationEntry {
    /// Where the contents of an entry's serial number lie.
    ///
    /// The header of the entry has two bytes, or three if it has extensions with more text; that of the serial number has two.
    static func serial(at start: Int, in bytes: [UInt8]) -> Range<Int> {
        let length = bytes[start + 1]
        let header = start + 2 + (length < 0x80 ? 0 : Int(length & 0x7F))
        return header + 2..<header + 2 + Int(bytes[header + 1])
    }

    /// The contents of a serial number as DER writes it (X.690 section 8.3).
    static func contents(of serial: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(serial.drop { $0 == 0 })
        return digits.first.map { $0 < 0x80 } == true ? digits : [0] + digits
    }

    /// Whether one serial number comes before another one: by length, then by bytes.
    static func precedes(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.count == other.count ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }

    /// The offsets in the order of the serial numbers.
    static func sorted(_ starts: [UInt32], in bytes: [UInt8]) -> [UInt32] {
        /// The length of a serial number and its first seven bytes, which tell nearly all of them apart.
        func key(_ start: UInt32) -> UInt64 {
            let serial = serial(at: Int(start), in: bytes)
            var key = UInt64(serial.count)
            for index in 0..<7 {
                key = key << 8 | (index < serial.count ? UInt64(bytes[serial.lowerBound + index]) : 0)
            }
            return key
        }
        var keyed = starts.map { (key: key($0), start: $0) }
        keyed.sort { one, other in
            guard one.key == other.key else { return one.key < other.key }
            return precedes(
                bytes[serial(at: Int(one.start), in: bytes)],
                bytes[serial(at: Int(other.start), in: bytes)]
            )
        }
        return keyed.map(\.start)
    }
}
