import LiveServers
import SPKIPins

extension Keyed {
    /// This key as the only pin of a host, and a spare one.
    func entry(host: String) throws -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: host,
            pins: [PositionedPin(try pin)],
            backup: .pins([PositionedPin(Pin(hashing: [UInt8](arrayLiteral: 1).span))]),
            expiry: nil
        )
    }
}
