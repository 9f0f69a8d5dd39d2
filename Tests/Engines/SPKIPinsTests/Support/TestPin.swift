import SPKIPins
import Testing

extension Pin {
    /// A pin of no key, for tests that only compare pins.
    static func numbered(_ number: UInt8) -> Pin { Pin(hashing: [number].span) }
}

extension Fixture {
    /// The DER of the fixture with this name.
    static func named(_ name: String) throws -> [UInt8] { try #require(all.first { $0.name == name }).der }
}
