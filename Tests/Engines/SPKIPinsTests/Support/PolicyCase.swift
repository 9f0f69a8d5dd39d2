import Hostnames
import SPKIPins

/// Policies about the chain of the fixtures, and what they say.
enum PolicyCase {
    /// Leaf, issuer and anchor of the fixtures.
    static func chain(_ names: [String] = ["chain-leaf", "chain-issuer", "chain-anchor"]) throws
        -> ValidatedChain
    {
        try ValidatedChain(assertingValidated: names.map { try Fixture.named($0) })
    }

    static func pin(_ name: String) throws -> Pin {
        let certificate = try Fixture.named(name)
        return try Pin(ofCertificate: certificate.span)
    }

    static func entry(
        _ host: String,
        _ pins: [PositionedPin],
        backup: [PositionedPin] = [PositionedPin(.numbered(200))],
        expiry: Int64? = nil,
        mode: PinPolicy.Mode = .enforce
    ) -> PinPolicy.Entry {
        PinPolicy.Entry(host: host, pins: pins, backup: .pins(backup), expiry: expiry, mode: mode)
    }

    static func verdict(
        _ entries: [PinPolicy.Entry],
        host: String = "leaf.example",
        chain: ValidatedChain,
        now: Int64 = 0
    ) throws -> PinVerdict {
        let policy = try PinPolicy(compiling: entries, version: 3, at: 0)
        return policy.verdict(for: try Hostname(parsing: host), chain: chain, now: now)
    }
}
