import Hostnames
import SPKIPins
import Sallyport
import Testing

@Suite struct PinnedHostsTests {
    @Test("Hosts with pins: enforced, only reported, expired, below a wildcard")
    func hosts() throws {
        let pins = [1, 2].map { PositionedPin(Pin(hashing: [UInt8](arrayLiteral: $0).span)) }
        func entry(_ host: String, expiry: Int64? = nil, mode: PinPolicy.Mode = .enforce) -> PinPolicy.Entry {
            PinPolicy.Entry(host: host, pins: pins, backup: .amongPins, expiry: expiry, mode: mode)
        }
        var profile = try TestProfile.make()
        profile.pins = [
            entry("a.example"), entry("b.example", mode: .reportOnly), entry("c.example", expiry: 10),
            entry("*.d.example"),
        ]
        let handler = try ChallengeHandler(profile: profile, at: 1000)
        func hasPins(_ host: String) throws -> Bool { handler.hasPins(for: try Hostname(parsing: host)) }
        for host in ["a.example", "b.example", "c.example", "x.d.example"] { #expect(try hasPins(host), "\(host)") }
        for host in ["d.example", "x.a.example", "example"] { #expect(try !hasPins(host), "\(host)") }
        profile.pins = []
        #expect(try !ChallengeHandler(profile: profile, at: 0).hasPins(for: Hostname(parsing: "a.example")))
    }
}
