import Hostnames
import SPKIPins
import Testing

@testable import PinAudits

/// What servers present, against the policy; and pins that are hashes of something else.
@Suite struct PresentedChainTests {
    /// 2026-07-01T00:00:00Z, in the middle of what the certificates are valid for.
    private static let now: Int64 = 1_782_864_000

    private static let root = NamedCertificate(key: "root", issuer: "root", isAuthority: true).bytes
    private static let issuer = NamedCertificate(key: "issuer", issuer: "root", isAuthority: true).bytes
    private static let leaf = NamedCertificate(key: "leaf", issuer: "issuer").bytes

    private static func entry(
        _ pins: [String],
        at position: PinPosition = .any,
        backup: [String] = ["offline"],
        _ host: String = "**.host.example"
    ) -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: host,
            pins: pins.map { PositionedPin(NamedCertificate.pin($0), at: position) },
            backup: .pins(backup.map { PositionedPin(NamedCertificate.pin($0), at: position) }),
            expiry: nil
        )
    }

    private static func problems(
        _ policy: [PinPolicy.Entry],
        _ certificates: [[UInt8]],
        presented: [[UInt8]],
        _ host: String = "a.host.example"
    ) throws -> [PinSetProblem] {
        var audit = PinAudit()
        audit.policies = [policy]
        audit.certificates = certificates
        audit.presentations = [
            .init(host: try Hostname(parsing: host), chain: try PresentedChain(copying: presented))
        ]
        return audit.findings(at: now).compactMap { finding in
            guard case .set(let problem) = finding.problem else { return nil }
            return switch problem {
            case .presentedNoPin, .presentedForbidden, .mistakenHash: problem
            default: nil
            }
        }
    }

    private static func noPin(_ isCertain: Bool) -> [PinSetProblem] {
        [.presentedNoPin(host: "a.host.example", isCertain: isCertain)]
    }

    @Test("A chain that meets a pin, by itself or by an authority that is known, is no finding") func met() throws {
        for pins in [["leaf"], ["issuer"], ["other", "leaf"]] {
            #expect(try Self.problems([Self.entry(pins)], [], presented: [Self.leaf, Self.issuer]) == [])
        }
        // Servers leave the root out; its certificate shows that it stands above.
        #expect(try Self.problems([Self.entry(["root"])], [Self.root], presented: [Self.leaf, Self.issuer]) == [])
        #expect(
            try Self.problems([Self.entry(["root"], at: .anchor)], [Self.root], presented: [Self.leaf, Self.issuer])
                == []
        )
        // A backup is a pin as well.
        #expect(
            try Self.problems([Self.entry(["other"], backup: ["issuer"])], [], presented: [Self.leaf, Self.issuer])
                == []
        )
    }

    @Test("A chain that meets no pin is an error; not certain where an unknown authority may be pinned") func unmet()
        throws
    {
        let whole = [Self.leaf, Self.issuer, Self.root]
        #expect(try Self.problems([Self.entry(["other"])], [], presented: whole) == Self.noPin(true))
        #expect(
            try Self.problems([Self.entry(["other"])], [], presented: [Self.leaf, Self.issuer]) == Self.noPin(false)
        )
        #expect(
            try Self.problems([Self.entry(["other"], at: .leaf)], [], presented: [Self.leaf, Self.issuer])
                == Self.noPin(true)
        )
        // The key is in the chain, but not where the pin may match.
        #expect(try Self.problems([Self.entry(["issuer"], at: .leaf)], [], presented: whole) == Self.noPin(true))
        #expect(try Self.problems([Self.entry(["leaf"], at: .issuer)], [], presented: whole) == Self.noPin(true))
        // Certificates of the pinned keys show that they are not above.
        let other = NamedCertificate(key: "other", issuer: "other", isAuthority: true).bytes
        let offline = NamedCertificate(key: "offline", issuer: "offline", isAuthority: true).bytes
        #expect(
            try Self.problems([Self.entry(["other"])], [other, offline], presented: [Self.leaf, Self.issuer])
                == Self.noPin(true)
        )
        // The entry that decides, and a host that none decides for.
        let policy = [Self.entry(["leaf"]), Self.entry(["other"], at: .leaf, "a.host.example")]
        #expect(try Self.problems(policy, [], presented: whole) == Self.noPin(true))
        #expect(try Self.problems(policy, [], presented: whole, "b.host.example") == [])
        #expect(try Self.problems(policy, [], presented: whole, "other.example") == [])
        // An entry that has ended decides nothing.
        var ended = Self.entry(["other"])
        ended.expiry = Self.now
        #expect(try Self.problems([ended], [], presented: whole) == [])
    }

    @Test("A forbidden key that a server presents is an error") func forbidden() throws {
        var entry = Self.entry(["leaf"])
        entry.forbidden = [NamedCertificate.pin("issuer")]
        #expect(
            try Self.problems([entry], [], presented: [Self.leaf, Self.issuer])
                == [.presentedForbidden(pin: NamedCertificate.pin("issuer"), host: "a.host.example")]
        )
    }

    @Test("A pin that is the hash of a whole certificate is named, with the right one") func wholeCertificate() throws {
        let fingerprint = Pin(hashing: Self.leaf.span)
        var entry = Self.entry(["leaf"])
        entry.backup = .pins([PositionedPin(fingerprint)])
        let expected = PinSetProblem.mistakenHash(
            pin: fingerprint,
            of: .certificate,
            right: NamedCertificate.pin("leaf")
        )
        #expect(try Self.problems([entry], [Self.leaf], presented: [Self.leaf, Self.issuer]) == [expected])
        // The certificate may come from the server alone. Such a pin is met by nothing.
        entry.pins = [PositionedPin(fingerprint)]
        entry.backup = .pins([PositionedPin(NamedCertificate.pin("offline"), at: .leaf)])
        #expect(
            try Self.problems([entry], [], presented: [Self.leaf, Self.issuer]) == [expected] + Self.noPin(true)
        )
    }
}
