import Hostnames
import SPKIPins
import Testing

@Suite struct PinPolicyVerdictTests {
    @Test("The pin's certificate and position are told", arguments: ["chain-leaf", "chain-issuer", "chain-anchor"])
    func matches(name: String) throws {
        let verdict = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [PositionedPin(PolicyCase.pin(name))])],
            chain: PolicyCase.chain()
        )
        guard case .matched(let match) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(match.certificateIndex == ["chain-leaf", "chain-issuer", "chain-anchor"].firstIndex(of: name))
        #expect(match.pin == (try PolicyCase.pin(name)))
        #expect(!match.isBackup)
        #expect(verdict.policyVersion == 3)
    }

    @Test("A backup pin matches and says so; a primary pin higher up is preferred to it")
    func backup() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let first = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [.init(.numbered(1))], backup: [leaf])],
            chain: PolicyCase.chain()
        )
        guard case .matched(let match) = first else {
            Issue.record("\(first)")
            return
        }
        #expect(match.isBackup)
        let anchor = PositionedPin(try PolicyCase.pin("chain-anchor"))
        let second = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [anchor], backup: [leaf])],
            chain: PolicyCase.chain()
        )
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
        let pinned = try PolicyCase.pin("rsa2048")
        #expect(presented.pins.contains(.success(pinned)))
        let verdict = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [PositionedPin(pinned)])],
            chain: PolicyCase.chain()
        )
        guard case .mismatched = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("S2: an issuer pin outlives a path that ends at the issuer; an anchor pin does not")
    func shorterPath() throws {
        let issuer = try PolicyCase.pin("chain-issuer")
        let shorter = try PolicyCase.chain(["chain-leaf", "chain-issuer"])
        let asIssuer = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [.init(issuer, at: .issuer)])],
            chain: shorter
        )
        guard case .matched = asIssuer else {
            Issue.record("\(asIssuer)")
            return
        }
        let anchor = try PolicyCase.pin("chain-anchor")
        let asAnchor = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [.init(anchor, at: .anchor)])],
            chain: shorter
        )
        guard case .mismatched = asAnchor else {
            Issue.record("\(asAnchor)")
            return
        }
    }

    @Test("A pin elsewhere than it may be is a mismatch that says where it is")
    func misplaced() throws {
        let anchor = try PolicyCase.pin("chain-anchor")
        let verdict = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [.init(anchor, at: .leaf)])],
            chain: PolicyCase.chain()
        )
        guard case .mismatched(let mismatch) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(mismatch.misplaced.map(\.certificateIndex) == [2])
        #expect(mismatch.misplaced.map(\.member.position) == [.leaf])
        #expect(mismatch.explanation.contains("\(anchor)"))
        #expect(mismatch.explanation.contains("\(try PolicyCase.pin("chain-leaf"))"))
        #expect(mismatch.explanation.contains("backup"))
    }

    @Test("S3: a certificate that cannot be read neither matches nor blocks the others")
    func unreadableCertificate() throws {
        let broken: [UInt8] = [0x30, 0x80, 0, 0]
        let chain = try ValidatedChain(assertingValidated: [Fixture.named("chain-leaf"), broken])
        #expect(chain.pins[1] == .failure(.indefiniteLength(offset: 1)))
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let matched = try PolicyCase.verdict([PolicyCase.entry("leaf.example", [leaf])], chain: chain)
        guard case .matched = matched else {
            Issue.record("\(matched)")
            return
        }
        let refused = try PolicyCase.verdict(
            [PolicyCase.entry("leaf.example", [.init(Pin(hashing: broken.span))])],
            chain: chain
        )
        guard case .mismatched(let mismatch) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(mismatch.explanation.contains("unreadable"))
    }

    @Test("S11: from its expiry on, an entry is neither enforced nor forgotten, and tells what it would have said")
    func expiry() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        // A wider entry that still holds must not step in.
        let wide = PolicyCase.entry("**.host.example", [leaf])
        for (pin, wouldMatch) in [(leaf, true), (PositionedPin(.numbered(1)), false)] {
            let entries = [wide, PolicyCase.entry("a.host.example", [pin], expiry: 500)]
            let before = try PolicyCase.verdict(entries, host: "a.host.example", chain: PolicyCase.chain(), now: 499)
            if case .expiredPolicy = before { Issue.record("\(before)") }
            let after = try PolicyCase.verdict(entries, host: "a.host.example", chain: PolicyCase.chain(), now: 500)
            guard case .expiredPolicy(let expiry) = after else {
                Issue.record("\(after)")
                return
            }
            #expect((expiry.match != nil) == wouldMatch)
            #expect(expiry.entry == 1)
            #expect(expiry.expiry == 500)
        }
    }

    @Test("A forbidden key anywhere in the chain comes before a match, and before the expiry")
    func forbidden() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        for (now, mode) in [(0, PinPolicy.Mode.enforce), (900, .reportOnly)] as [(Int64, PinPolicy.Mode)] {
            var entry = PolicyCase.entry("leaf.example", [leaf], expiry: 500, mode: mode)
            entry.forbidden = [.numbered(9), try PolicyCase.pin("chain-anchor")]
            let verdict = try PolicyCase.verdict([entry], chain: PolicyCase.chain(), now: now)
            guard case .forbiddenKey(let key) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(key.certificateIndex == 2)
            #expect(key.pin == (try PolicyCase.pin("chain-anchor")))
            #expect(key.mode == mode)
            #expect(verdict.policyVersion == 3)
        }
    }

    @Test("S11: an entry is in force until it expires; a clock that was set back changes nothing")
    func clockSetBack() throws {
        let leaf = PositionedPin(try PolicyCase.pin("chain-leaf"))
        let image = try PinPolicy(
            compiling: [PolicyCase.entry("leaf.example", [leaf], expiry: 500)],
            version: 1,
            at: 499
        )
        .image
        let policy = try PinPolicy(image: image)
        #expect(policy.compiledAt == 499)
        let host = try Hostname(parsing: "leaf.example")
        guard case .matched = policy.verdict(for: host, chain: try PolicyCase.chain(), now: 0) else {
            Issue.record("not yet expired")
            return
        }
        guard case .expiredPolicy = policy.verdict(for: host, chain: try PolicyCase.chain(), now: 500) else {
            Issue.record("expired")
            return
        }
    }

    @Test func reportOnly() throws {
        let entries = [PolicyCase.entry("leaf.example", [.init(.numbered(1))], mode: .reportOnly)]
        let verdict = try PolicyCase.verdict(entries, chain: PolicyCase.chain())
        guard case .reportOnlyMismatch(let mismatch) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(mismatch.found == (try PolicyCase.chain().pins))
    }
}
