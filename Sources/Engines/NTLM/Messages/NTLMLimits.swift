internal import InsecureDigests

/// The bounds on input from the network and from users.
package enum NTLMLimits {
    /// Bytes in a whole message, read or written. Real messages have less than 2 KiB.
    package static let messageBytes = 65_536
    /// Bytes in one payload field: its length is a 16-bit number.
    package static let fieldBytes = 65_535
    /// UTF-16 units in a password, the longest that Windows stores.
    package static let passwordUnits = MD4.textUnits
    /// UTF-16 units in a user, domain or workstation name.
    package static let nameUnits = 256
    /// UTF-16 units in a target name (SPN).
    package static let targetNameUnits = 1_024
    /// Proofs that a ``ReplayWindow`` remembers.
    package static let replayEntries = 1_048_576
}
