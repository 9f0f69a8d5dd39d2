import Hostnames
import SPKIPins
import Testing

@Suite struct PinPolicyVerdictTests {
    /// Leaf, issuer and anchor of the fixtures.
    private static func chain(_ names: [String] = ["chain-leaf", "chain-issuer", "chain-anchor"]) throws
        -> ValidatedChain
    {
        try ValidatedChain(assertingValidated: names.map { try Fixture.named($0) })
    }

    private static func pin(_ name: String) throws -> Pin {
        let certificate = try Fixture.named(name)
        return try Pin(ofCertificate: certificate.span)
    }

    private static func entry(
        _ host: String,
        _ pins: [PositionedPin],
        backup: [PositionedPin] = [PositionedPin(.numbered(200))],
        expiry: Int64? = nil,
        mode: PinPolicy.Mode = .enforce
    ) -> PinPolicy.Entry {
        PinPolicy.Entry(host: host, pins: pins, backup: .pins(backup), expiry: expiry, mode: mode)
    }

    private func verdict(
        _ entries: [PinPolicy.Entry],
        host: String = "leaf.example",
        chain: ValidatedChain,
        now: Int64 = 0
    ) throws -> PinVerdict {
        let policy = try PinPolicy(compiling: entries, version: 3, at: 0)
        return policy.verdict(for: try Hostname(parsing: host), chain: chain, now: now)
    }

    @Test("The pin's certificate and position are told", arguments: ["chain-leaf", "chain-issuer", "chain-anchor"])
    func matches(name: String) throws {
        let verdict = try verdict([Self.entry("leaf.example", [PositionedPin(Self.pin(name))])], chain: Self.chain())
        guard case .matched(let match) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(match.certificateIndex == ["chain-leaf", "chain-issuer", "chain-anchor"].firstIndex(of: name))
        #expect(match.pin == (try Self.pin(name)))
        #expect(!match.isBackup)
        #expect(verdict.policyVersion == 3)
    }

    @Test("A backup pin matches and says so; a primary pin higher up is preferred to it")
    func backup() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let first = try verdict(
            [Self.entry("leaf.example", [.init(.numbered(1))], backup: [leaf])],
            chain: Self.chain()
        )
        guard case .matched(let match) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(match.isBackup)
        let anchor = PositionedPin(try Self.pin("chain-anchor"))
        let second = try verdict([Self.entry("leaf.example", [anchor], backup: [leaf])], chain: Self.chain())
        guard case .matched(let match) = second else {
            Issue.record("\(second)")
            return
        }
        #expect(match.certificateIndex == 2)
        #expect(!match.isBackup)
    }

    @Test("S1: a pinned certificate that the server threw in does not count")
    func presentedCertificatesDoNotCount() throws {
        let presented = try PresentedChain(
            copying: ["chain-leaf", "chain-issuer", "rsa2048"].map { try Fixture.named($0) }
        )
        let pinned = try Self.pin("rsa2048")
        #expect(presented.pins.contains(.success(pinned)))
        let verdict = try verdict([Self.entry("leaf.example", [PositionedPin(pinned)])], chain: Self.chain())
        guard case .mismatched = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("S2: an issuer pin outlives a path that ends at the issuer; an anchor pin does not")
    func shorterPath() throws {
        let issuer = try Self.pin("chain-issuer")
        let shorter = try Self.chain(["chain-leaf", "chain-issuer"])
        let asIssuer = try verdict([Self.entry("leaf.example", [.init(issuer, at: .issuer)])], chain: shorter)
        guard case .matched = asIssuer else {
            Issue.record("\(asIssuer)")
            return
        }
        let anchor = try Self.pin("chain-anchor")
        let asAnchor = try verdict([Self.entry("leaf.example", [.init(anchor, at: .anchor)])], chain: shorter)
        guard case .mismatched = asAnchor else {
            Issue.record("\(asAnchor)")
            return
        }
    }

    @Test("A pin elsewhere than it may be is a mismatch that says where it is")
    func misplaced() throws {
        let anchor = try Self.pin("chain-anchor")
        let verdict = try verdict([Self.entry("leaf.example", [.init(anchor, at: .leaf)])], chain: Self.chain())
        guard case .mismatched(let mismatch) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(mismatch.misplaced.map(\.certificateIndex) == [2])
        #expect(mismatch.misplaced.map(\.member.position) == [.leaf])
        #expect(mismatch.explanation.contains("\(anchor)"))
        #expect(mismatch.explanation.contains("\(try Self.pin("chain-leaf"))"))
        #expect(mismatch.explanation.contains("backup"))
    }

    @Test("S3: a certificate that cannot be read neither matches nor blocks the others")
    func unreadableCertificate() throws {
        let broken: [UInt8] = [0x30, 0x80, 0, 0]
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf"), broken])
        #expect(chain.pins[1] == .failure(.indefiniteLength(offset: 1)))
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let matched = try verdict([Self.entry("leaf.example", [leaf])], chain: chain)
        guard case .matched = matched else {
            Issue.record("\(matched)")
            return
        }
        let refused = try verdict([Self.entry("leaf.example", [.init(Pin(hashing: broken.span))])], chain: chain)
        guard case .mismatched(let mismatch) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(mismatch.explanation.contains("unreadable"))
    }

    @Test("S11: from its expiry on, an entry is neither enforced nor forgotten, and tells what it would have said")
    func expiry() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        // A wider entry that still holds must not step in.
        let wide = Self.entry("**.host.example", [leaf])
        for (pin, wouldMatch) in [(leaf, true), (PositionedPin(.numbered(1)), false)] {
            let entries = [wide, Self.entry("a.host.example", [pin], expiry: 500)]
            let before = try verdict(entries, host: "a.host.example", chain: Self.chain(), now: 499)
            if case .expiredPolicy = before { Issue.record("\(before)") }
            let after = try verdict(entries, host: "a.host.example", chain: Self.chain(), now: 500)
            guard case .expiredPolicy(let expiry) = after else {
                Issue.record("\(after)")
                return
            }
            #expect((expiry.match != nil) == wouldMatch)
            #expect(expiry.entry == 1)
            #expect(expiry.expiry == 500)
        }
    }

    @Test("OkHttp: '**.' is the host itself and any number of labels more; its own pattern is more specific")
    func anyLabels() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let wide = Self.entry("**.many.example", [leaf])
        for host in ["many.example", "a.many.example", "c.b.a.many.example"] {
            guard case .matched = try verdict([wide], host: host, chain: Self.chain()) else {
                Issue.record("\(host)")
                return
            }
        }
        guard case .notPinned = try verdict([wide], host: "xmany.example", chain: Self.chain()) else {
            Issue.record("a name that only ends alike")
            return
        }
        let narrow = Self.entry("many.example", [.init(.numbered(1))])
        guard case .mismatched(let mismatch) = try verdict([wide, narrow], host: "many.example", chain: Self.chain())
        else {
            Issue.record("the exact pattern must decide")
            return
        }
        #expect(mismatch.entry == 1)
        #expect(mismatch.pattern == "many.example")
    }

    @Test("A forbidden key anywhere in the chain comes before a match, and before the expiry")
    func forbidden() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        for (now, mode) in [(0, PinPolicy.Mode.enforce), (900, .reportOnly)] as [(Int64, PinPolicy.Mode)] {
            var entry = Self.entry("leaf.example", [leaf], expiry: 500, mode: mode)
            entry.forbidden = [.numbered(9), try Self.pin("chain-anchor")]
            let verdict = try verdict([entry], chain: Self.chain(), now: now)
            guard case .forbiddenKey(let key) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(key.certificateIndex == 2)
            #expect(key.pin == (try Self.pin("chain-anchor")))
            #expect(key.mode == mode)
            #expect(verdict.policyVersion == 3)
        }
    }

    @Test("S11: a clock before the policy's own time does not bring an expired entry back")
    func clockSetBack() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let image = try PinPolicy(compiling: [Self.entry("leaf.example", [leaf], expiry: 500)], version: 1, at: 499)
            .image
        let policy = try PinPolicy(image: image)
        #expect(policy.compiledAt == 499)
        let host = try Hostname(parsing: "leaf.example")
        guard case .matched = policy.verdict(for: host, chain: try Self.chain(), now: 0) else {
            Issue.record("not yet expired")
            return
        }
        guard case .expiredPolicy = policy.verdict(for: host, chain: try Self.chain(), now: 500) else {
            Issue.record("expired")
            return
        }
    }

    @Test("Addresses are pinned as they are, and have no names above them")
    func addresses() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let entries = ["192.0.2.1", "[2001:db8::1]", "1.example"].map { Self.entry($0, [leaf]) }
        for (host, isPinned) in [
            ("192.0.2.1", true), ("[2001:DB8:0::1]", true), ("192.0.2.2", false), ("[2001:db8::2]", false),
            ("0.0.0.1", false),
        ] {
            let verdict = try verdict(entries, host: host, chain: Self.chain())
            if case .matched = verdict { #expect(isPinned, "\(host)") } else { #expect(!isPinned, "\(host)") }
        }
        let refused = try verdict(
            [Self.entry("[2001:db8::1]", [.init(.numbered(1))])],
            host: "[2001:db8::1]",
            chain: Self.chain()
        )
        guard case .mismatched(let mismatch) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(mismatch.pattern == "[2001:db8::1]")
    }

    @Test func reportOnly() throws {
        let entries = [Self.entry("leaf.example", [.init(.numbered(1))], mode: .reportOnly)]
        let verdict = try verdict(entries, chain: Self.chain())
        guard case .reportOnlyMismatch(let mismatch) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(mismatch.found == (try Self.chain().pins))
    }

    @Test("S8: case and one trailing dot make no other host, in the pattern or in the question")
    func canonicalHosts() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        for pattern in ["a.host.example", "A.Host.EXAMPLE", "a.host.example.", "*.HOST.example."] {
            for host in ["a.host.example", "A.HOST.example", "a.host.example."] {
                let verdict = try verdict([Self.entry(pattern, [leaf])], host: host, chain: Self.chain())
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
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let entries = ["*.one.example", "**.many.example", "exact.example"].map { Self.entry($0, [leaf]) }
        let verdict = try verdict(entries, host: host, chain: Self.chain())
        guard case .notPinned(let absence) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(absence.reason == reason)
        #expect(verdict.policyVersion == 3)
    }

    @Test("S9: the most specific pattern decides alone; wider pins do not help")
    func mostSpecificDecides() throws {
        let leaf = PositionedPin(try Self.pin("chain-leaf"))
        let patterns = [
            "**.host.example", "*.host.example", "**.b.host.example", "*.b.host.example", "a.b.host.example",
        ]
        let cases = [
            ("a.b.host.example", 4), ("c.b.host.example", 3), ("d.c.b.host.example", 2), ("c.host.example", 1),
        ]
        for (host, deciding) in cases + [("e.d.host.example", 0)] {
            // All but the deciding entry would match.
            let entries = patterns.indices.map { index in
                Self.entry(patterns[index], [index == deciding ? .init(.numbered(1)) : leaf])
            }
            let verdict = try verdict(entries, host: host, chain: Self.chain())
            guard case .mismatched(let mismatch) = verdict else {
                Issue.record("\(host): \(verdict)")
                return
            }
            #expect(mismatch.entry == deciding, "\(host)")
        }
    }
}
