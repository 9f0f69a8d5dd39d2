/// A block of addresses that share their first bits (RFC 4632); a single address is the longest block.
package struct IPNetwork<Address: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
    /// The lowest address of the block.
    package let address: Address
    /// How many leading bits are shared.
    package let length: Int

    /// Makes the block of `length` bits that `address` lies in, whatever its other bits are.
    ///
    /// - Precondition: `0...Address.bitWidth` contains `length`.
    package init(containing address: Address, length: Int) {
        precondition((0...Address.bitWidth).contains(length))
        self.address = address & (length == 0 ? 0 : ~0 << Address(Address.bitWidth - length))
        self.length = length
    }
}
