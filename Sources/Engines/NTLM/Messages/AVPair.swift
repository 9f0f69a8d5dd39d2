/// One attribute of the target information (`AV_PAIR`, MS-NLMP 2.2.2.1).
package struct AVPair: Equatable, Sendable {
    /// The number of an attribute. Readers keep attributes with unknown numbers.
    package struct ID: RawRepresentable, Hashable, Sendable {
        package var rawValue: UInt16
        package init(rawValue: UInt16) { self.rawValue = rawValue }

        package static let eol = Self(rawValue: 0)
        package static let nbComputerName = Self(rawValue: 1)
        package static let nbDomainName = Self(rawValue: 2)
        package static let dnsComputerName = Self(rawValue: 3)
        package static let dnsDomainName = Self(rawValue: 4)
        package static let dnsTreeName = Self(rawValue: 5)
        package static let flags = Self(rawValue: 6)
        package static let timestamp = Self(rawValue: 7)
        package static let singleHost = Self(rawValue: 8)
        package static let targetName = Self(rawValue: 9)
        package static let channelBindings = Self(rawValue: 10)

        /// The name in the specification, or `nil` for a number that the specification does not define.
        package var name: String? {
            let names = [
                "MsvAvEOL", "MsvAvNbComputerName", "MsvAvNbDomainName", "MsvAvDnsComputerName", "MsvAvDnsDomainName",
                "MsvAvDnsTreeName", "MsvAvFlags", "MsvAvTimestamp", "MsvAvSingleHost", "MsvAvTargetName",
                "MsvAvChannelBindings",
            ]
            return Int(rawValue) < names.count ? names[Int(rawValue)] : nil
        }

        /// The name in the specification, or `AV_PAIR` and the number.
        package var label: String { name ?? "AV_PAIR \(rawValue)" }
    }

    /// The bits of `MsvAvFlags`.
    package struct Flags: OptionSet, Sendable {
        package var rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The account is constrained in how it may authenticate.
        package static let constrained = Self(rawValue: 1)
        /// The AUTHENTICATE carries a message integrity code.
        package static let messageIntegrityCode = Self(rawValue: 2)
        /// The target name comes from an untrusted source.
        package static let untrustedTargetName = Self(rawValue: 4)
    }

    /// Bytes before the value: AvId and AvLen.
    static let headerSize = 4

    package var id: ID
    package var value: [UInt8]

    package init(id: ID, value: [UInt8]) {
        self.id = id
        self.value = value
    }

    /// The value decoded from UTF-16LE, for attributes that hold a name.
    package var text: String { UTF16Text.text(value.span) }
}
