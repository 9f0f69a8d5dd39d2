/// The function that leads a hash and the pilot of its bucket to a slot.
package protocol SlotFunction {
    /// The slot, below `slots`, of a key with this hash.
    func slot(of hash: UInt64, pilot: UInt16, slots: UInt32) -> Int
}

// The two slot functions displace by exclusive-or and spread by one product.
//
//     bucket(hash)      = scale(hash, pilots)
//     slot(hash, pilot) = scale((hash ^ pilot * pilotFactor) * factor, slots)
//
// The hashes of a bucket have equal upper bits. The product carries the lower bits, and the pilot, upwards, where `scaled`
// reads. The factors belong to image formats and must not change. They are odd, so that the products lose no bit.
//
// Free functions with constants, because the compiler (Swift 6.3) inlines these into other modules, and methods of a
// package type it does not: a lookup of a pin then takes 118 instructions instead of 86.

/// The slot, below `slots`, of a hash in an image of allowed sites, whose pilot factor is 1.
@inlinable @inline(__always)
package func slotOfSite(_ hash: UInt64, pilot: UInt16, slots: UInt32) -> Int {
    scaled((hash ^ UInt64(pilot)) &* 0xD6E8_FEB8_6659_FD93, to: slots)
}

/// The slot, below `slots`, of a hash in an image of pins.
@inlinable @inline(__always)
package func slotOfPin(_ hash: UInt64, pilot: UInt16, slots: UInt64) -> Int {
    scaled((hash ^ (UInt64(pilot) &* 0xC2B2_AE3D_27D4_EB4F)) &* 0x9E37_79B9_7F4A_7C15, to: slots)
}

/// The two slot functions, for the search of pilots.
package enum Displacement: SlotFunction, Sendable {
    /// In images of allowed sites.
    case ofSites
    /// In images of pins.
    case ofPins

    package func slot(of hash: UInt64, pilot: UInt16, slots: UInt32) -> Int {
        assert(slots > 0)
        return switch self {
        case .ofSites: slotOfSite(hash, pilot: pilot, slots: slots)
        case .ofPins: slotOfPin(hash, pilot: pilot, slots: UInt64(slots))
        }
    }
}
