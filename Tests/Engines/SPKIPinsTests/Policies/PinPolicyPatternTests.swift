import Hostnames
import SPKIPins
import TestSupport
import Testing

/// Which entry decides, and what a host hears that none decides for.
@Suite struct PinPolicyPatternTests {
    @Test("OkHttp: '**.' is the host itself and any number of labels more; its own pattern is more specific")
    func anyLabels() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let wide = PolicyCase.entry("**.many.example", [leaf])
        for host in ["many.example", "a.many.example", "c.b.a.many.example"] {
            guard case .matched = try PolicyCase.verdict([wide], host: host, chain: PolicyCase.chain()) else {
                Issue.record("\(host)")
                return
            }
        }
        guard case .notPinned = try PolicyCase.verdict([wide], host: "xmany.example", chain: PolicyCase.chain()) else {
            Issue.record("a name that only ends alike")
            return
        }
        let narrow = PolicyCase.entry("many.example", [.init(.numbered(1))])
        guard
            case .mismatched(let mismatch) = try PolicyCase.verdict(
                [wide, narrow],
                host: "many.example",
                chain: PolicyCase.chain()
            )
        else {
            Issue.record("the exact pattern must decide")
            return
        }
        #expect(mismatch.entry == 1)
        #expect(mismatch.pattern == "many.example")
    }

    @Test("Addresses are pinned as they are, and have no names above them")
    func addresses() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let entries = ["192.0.2.1", "[2001:db8::1]", "1.example"].map { PolicyCase.entry($0, [leaf]) }
        for (host, isPinned) in [
            ("192.0.2.1", true), ("[2001:DB8:0::1]", true), ("192.0.2.2", false), ("[2001:db8::2]", false),
            ("0.0.0.1", false),
        ] {
            let verdict = try PolicyCase.verdict(entries, host: host, chain: PolicyCase.chain())
            if case .matched = verdict { #expect(isPinned, "\(host)") } else { #expect(!isPinned, "\(host)") }
        }
        let refused = try PolicyCase.verdict(
            [PolicyCase.entry("[2001:db8::1]", [.init(.numbered(1))])],
            host: "[2001:db8::1]",
            chain: PolicyCase.chain()
        )
        guard case .mismatched(let mismatch) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(mismatch.pattern == "[2001:db8::1]")
    }

    @Test("S8: case and one trailing dot make no other host, in the pattern or in the question", .row(79))
    func canonicalHosts() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        for pattern in ["a.host.example", "A.Host.EXAMPLE", "a.host.example.", "*.HOST.example."] {
            for host in ["a.host.example", "A.HOST.example", "a.host.example."] {
                let verdict = try PolicyCase.verdict(
                    [PolicyCase.entry(pattern, [leaf])],
                    host: host,
                    chain: PolicyCase.chain()
                )
                guard case .matched = verdict else {
                    Issue.record("\(pattern) \(host): \(verdict)")
                    return
                }
            }
        }
    }

    @Test(
        "A host without pins hears how near a pattern came",
        arguments: [
            ("other.example", .noPattern),
            ("example", .noPattern),
            ("xone.example", .noPattern),
            ("one.example", .onlySubdomainsArePinned(entry: 0)),
            ("b.a.one.example", .onlyOneLabelIsPinned(entry: 0)),
            ("c.b.a.one.example", .onlyOneLabelIsPinned(entry: 0)),
            ("a.exact.example", .noPattern),
        ] as [(String, PinAbsence.Reason)]
    )
    func notPinned(host: String, reason: PinAbsence.Reason) throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let entries = ["*.one.example", "**.many.example", "exact.example"].map { PolicyCase.entry($0, [leaf]) }
        let verdict = try PolicyCase.verdict(entries, host: host, chain: PolicyCase.chain())
        guard case .notPinned(let absence) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(absence.reason == reason)
        #expect(verdict.policyVersion == 3)
    }

    @Test("S9: the most specific pattern decides alone; wider pins do not help")
    func mostSpecificDecides() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let patterns = [
            "**.host.example", "*.host.example", "**.b.host.example", "*.b.host.example", "a.b.host.example",
        ]
        let cases = [
            ("a.b.host.example", 4), ("c.b.host.example", 3), ("d.c.b.host.example", 2), ("c.host.example", 1),
        ]
        for (host, deciding) in cases + [("e.d.host.example", 0)] {
            // All but the deciding entry would match.
            let entries = patterns.indices.map { index in
                PolicyCase.entry(patterns[index], [index == deciding ? .init(.numbered(1)) : leaf])
            }
            let verdict = try PolicyCase.verdict(entries, host: host, chain: PolicyCase.chain())
            guard case .mismatched(let mismatch) = verdict else {
                Issue.record("\(host): \(verdict)")
                return
            }
            #expect(mismatch.entry == deciding, "\(host)")
        }
    }
}
