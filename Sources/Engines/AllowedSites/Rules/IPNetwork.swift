/// A block of addresses with common leading bits (RFC 4632); a single address is the block with the longest prefix.
package struct IPNetwork<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    /// The lowest address of the block.
    package let address: Address
    /// The number of common leading bits.
    package let length: Int

    /// Makes the block of `length` bits that contains `address`.
    ///
    /// - Precondition: `0...Address.bitWidth` contains `length`.
    package init(containing address: Address, length: Int) {
        precondition((0...Address.bitWidth).contains(length))
        self.address = address & (length == 0 ? 0 : ~0 << Address(Address.bitWidth - length))
        self.length = length
    }
}
