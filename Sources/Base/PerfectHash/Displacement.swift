/// The function that leads a hash and the pilot of its bucket to a slot.
package protocol SlotFunction {
    /// The slot, below `slots`, of a key with this hash.
    func slot(of hash: UInt64, pilot: UInt16, slots: UInt32) -> Int
}

/// A slot function that displaces by exclusive-or and spreads by one product.
///
/// ```text
/// bucket(hash)      = scale(hash, pilots)
/// slot(hash, pilot) = scale((hash ^ pilot * pilotFactor) * factor, slots)
/// ```
///
/// The hashes of a bucket have equal upper bits. The product carries the lower bits, and the pilot, upwards, where
/// ``scaled(_:to:)-(_,UInt64)`` reads. The two pairs of factors belong to image formats and must not change.
package struct Displacement: SlotFunction, Sendable {
    /// Odd, so different pilots displace differently; 1 costs no multiplication.
    package let pilotFactor: UInt64
    /// Odd, so the product loses no bit of the hash.
    package let factor: UInt64

    @inlinable @inline(__always)
    package init(pilotFactor: UInt64, factor: UInt64) {
        assert(pilotFactor & factor & 1 == 1, "an even factor loses bits")
        (self.pilotFactor, self.factor) = (pilotFactor, factor)
    }

    /// The factors in images of allowed sites.
    ///
    /// Computed, so that a lookup in another module sees constants.
    @inlinable package static var ofSites: Displacement {
        @inline(__always) get { Displacement(pilotFactor: 1, factor: 0xD6E8_FEB8_6659_FD93) }
    }

    /// The factors in images of pins.
    @inlinable package static var ofPins: Displacement {
        @inline(__always) get { Displacement(pilotFactor: 0xC2B2_AE3D_27D4_EB4F, factor: 0x9E37_79B9_7F4A_7C15) }
    }

    @inlinable @inline(__always)
    package func slot(of hash: UInt64, pilot: UInt16, slots: UInt64) -> Int {
        assert(slots > 0 && slots <= 1 << 32)
        return scaled((hash ^ (UInt64(pilot) &* pilotFactor)) &* factor, to: slots)
    }

    @inlinable @inline(__always)
    package func slot(of hash: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        slot(of: hash, pilot: pilot, slots: UInt64(slots))
    }
}
