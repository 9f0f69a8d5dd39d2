import Hostnames
import SPKIPins
import TestSupport
import Testing

@testable import PinAudits

@Suite struct PinAuditTests {
    /// 2026-07-01T00:00:00Z, in the middle of what the certificates are valid for.
    private static let now: Int64 = 1_782_864_000
    private static let day: Int64 = 86_400

    private static func entry(
        _ host: String = "host.example",
        _ pins: [String],
        backup: [String] = ["offline"],
        position: PinPosition = .any
    ) -> PinPolicy.Entry {
        PinPolicy.Entry(
            host: host,
            pins: pins.map { PositionedPin(NamedCertificate.pin($0), at: position) },
            backup: .pins(backup.map { PositionedPin(NamedCertificate.pin($0)) }),
            expiry: nil
        )
    }

    /// A certificate of an authority.
    private static func authority(_ key: String, by issuer: String, _ own: UInt8 = 0, _ above: UInt8 = 0) -> [UInt8] {
        NamedCertificate(
            key: key,
            issuer: issuer,
            isAuthority: true,
            identifiers: own > 0 ? (own, above) : nil
        ).bytes
    }

    private static func leaf(_ key: String, by issuer: String) -> [UInt8] {
        NamedCertificate(key: key, issuer: issuer).bytes
    }

    /// Two roots, an authority below each, and a leaf below each of these.
    private static let certificates = [
        authority("root", by: "root"), authority("issuer", by: "root"), leaf("leaf", by: "issuer"),
        authority("other root", by: "other root"), authority("other issuer", by: "other root"),
        leaf("other leaf", by: "other issuer"),
    ]

    /// What the audit says of entries, without what it says of keys and of days to come.
    private static func problems(
        _ policy: [PinPolicy.Entry],
        _ certificates: [[UInt8]] = certificates,
        change: (inout PinAudit) -> Void = { _ in }
    ) -> [PinSetProblem] {
        var audit = PinAudit()
        audit.policies = [policy]
        audit.certificates = certificates
        change(&audit)
        return audit.findings(at: now).compactMap { finding in
            guard case .set(let problem) = finding.problem else { return nil }
            if case .certificateExpires = problem { return nil }
            if case .unknownPin(_, isBackup: true) = problem { return nil }
            return problem
        }
    }

    @Test func aSoundPolicyHasNothingWrong() {
        let policy = [Self.entry("host.example", ["leaf"], backup: ["other leaf"])]
        #expect(Self.problems(policy) == [])
        #expect(Self.problems([Self.entry("**.host.example", ["issuer"])]) == [])
        #expect(Self.problems(policy, []) == [])
    }

    @Test func allPinsUnderOneAuthority() {
        let twin = Self.leaf("twin", by: "issuer")
        let problem = PinSetProblem.oneAuthority(name: "CN=root")
        #expect(
            Self.problems([Self.entry("host.example", ["leaf"], backup: ["twin"])], Self.certificates + [twin]) == [
                problem
            ]
        )
        // Cross-signed by another root, the twin's authority does not hang on the first one alone.
        let crossed = Self.certificates + [twin, Self.authority("issuer", by: "other root")]
        #expect(!Self.problems([Self.entry("host.example", ["leaf"], backup: ["twin"])], crossed).contains(problem))
        // The authority of an unknown key is unknown.
        #expect(
            Self.problems(
                [Self.entry("host.example", ["leaf"], backup: ["twin", "offline"])],
                Self.certificates + [twin]
            ) == []
        )
    }

    @Test func aRootAndItsOwnIntermediate() {
        let pins = (NamedCertificate.pin("root"), NamedCertificate.pin("issuer"))
        #expect(
            Self.problems([Self.entry("host.example", ["issuer"], backup: ["root"])])
                == [.relatedBackup(backup: pins.0, primary: pins.1)]
        )
        #expect(
            Self.problems([Self.entry("host.example", ["root"], backup: ["issuer"])])
                == [.relatedBackup(backup: pins.1, primary: pins.0)]
        )
        #expect(Self.problems([Self.entry("host.example", ["issuer"], backup: ["root", "other root"])]) == [])
        var undecided = Self.entry("host.example", ["issuer", "root"])
        undecided.backup = .amongPins
        #expect(Self.problems([undecided]) == [.relatedBackup(backup: pins.0, primary: pins.1)])
    }

    @Test func aBackupThatTheServerPresents() throws {
        let host = try Hostname(parsing: "A.host.example.")
        let chain = try PresentedChain(copying: [Self.leaf("leaf", by: "issuer"), Self.authority("issuer", by: "root")])
        let wide = Self.entry("**.host.example", ["leaf"], backup: ["issuer", "offline"])
        let present = { (audit: inout PinAudit) in audit.presentations = [.init(host: host, chain: chain)] }
        #expect(
            Self.problems([wide], change: present)
                == [.presentedBackup(backup: NamedCertificate.pin("issuer"), host: "a.host.example")]
        )
        // The entry that decides for the host is another.
        let own = Self.entry("a.host.example", ["leaf", "issuer"])
        #expect(
            !Self.problems([wide, own], change: present).contains {
                if case .presentedBackup = $0 { true } else { false }
            }
        )
    }

    @Test func onlyOneOfTwoCrossSignedPaths() {
        let crossed = Self.certificates + [Self.authority("issuer", by: "other root")]
        let found = PinSetProblem.uncoveredPath(
            pin: NamedCertificate.pin("root"),
            authority: "CN=issuer",
            issuer: "CN=other root"
        )
        #expect(Self.problems([Self.entry("host.example", ["root"])], crossed) == [found])
        #expect(Self.problems([Self.entry("host.example", ["root", "other root"])], crossed) == [])
        #expect(Self.problems([Self.entry("host.example", ["issuer"])], crossed) == [])
        #expect(Self.problems([Self.entry("host.example", ["root", "leaf"])], crossed) == [])
    }

    @Test func anAnchorThatAnotherRootHasSigned() {
        let crossed = Self.certificates + [Self.authority("root", by: "other root")]
        let found = PinSetProblem.uncoveredPath(
            pin: NamedCertificate.pin("root"),
            authority: "CN=root",
            issuer: "CN=other root"
        )
        #expect(Self.problems([Self.entry("host.example", ["root"], position: .anchor)], crossed) == [found])
        #expect(Self.problems([Self.entry("host.example", ["root"])], crossed) == [])
    }

    @Test("An authority with a new key and its old name is told apart by key identifiers")
    func keyIdentifiers() {
        let certificates = [
            Self.authority("root", by: "root", 1, 1), Self.authority("root#2", by: "root", 2, 2),
            Self.authority("issuer", by: "root", 3, 1), Self.authority("issuer", by: "other root", 3, 4),
        ]
        #expect(Self.problems([Self.entry("host.example", ["root#2"])], certificates) == [])
        #expect(Self.problems([Self.entry("host.example", ["root"])], certificates).count == 1)
    }

    @Test func pinsWithoutACertificate() {
        var audit = PinAudit()
        audit.policies = [[Self.entry("host.example", ["leaf", "nobody"])]]
        audit.certificates = Self.certificates
        let unknown = audit.findings(at: Self.now).filter { finding in
            if case .set(.unknownPin) = finding.problem { true } else { false }
        }
        #expect(
            unknown.map(\.problem) == [
                .set(.unknownPin(NamedCertificate.pin("nobody"), isBackup: false)),
                .set(.unknownPin(NamedCertificate.pin("offline"), isBackup: true)),
            ]
        )
        #expect(unknown.map(\.severity) == [.warning, .note])
    }

    @Test func aLeafThatLivesForLessThanARelease() {
        let short = NamedCertificate(
            key: "leaf",
            issuer: "issuer",
            notBefore: "260615000000Z",
            notAfter: "260801000000Z"
        )
        for (days, isFound) in [(47, false), (48, true)] as [(Int64, Bool)] {
            let problems = Self.problems([Self.entry("host.example", ["leaf"])], [short.bytes]) {
                $0.releaseCadence = days * Self.day
            }
            #expect(
                problems == (isFound ? [.shortLeaf(pin: NamedCertificate.pin("leaf"), days: 47, cadenceDays: 48)] : [])
            )
        }
    }

    @Test func patternsThatTakeHostsFromOthers() {
        func shadows(_ hosts: [(String, [String])]) -> [PinSetProblem] {
            Self.problems(hosts.map { Self.entry($0.0, $0.1) }, []).filter {
                if case .shadows = $0 { true } else { false }
            }
        }
        #expect(
            shadows([("**.host.example", ["leaf"]), ("a.host.example", ["issuer"])]) == [
                .shadows(pattern: "**.host.example")
            ]
        )
        #expect(shadows([("**.host.example", ["leaf"]), ("a.host.example", ["issuer", "leaf"])]) == [])
        #expect(shadows([("**.host.example", ["leaf"]), ("**.a.host.example", ["issuer"])]).count == 1)
        #expect(shadows([("**.host.example", ["leaf"]), ("*.host.example", ["issuer"])]).count == 1)
        #expect(shadows([("*.host.example", ["leaf"]), ("host.example", ["issuer"])]) == [])
        #expect(shadows([("*.host.example", ["leaf"]), ("b.a.host.example", ["issuer"])]) == [])
    }

    @Test func theHostThatAWildcardLeavesOut() {
        #expect(Self.problems([Self.entry("*.host.example", ["leaf"])], []) == [.apexGap(host: "host.example")])
        #expect(Self.problems([Self.entry("**.host.example", ["leaf"])], []) == [])
        #expect(
            Self.problems([Self.entry("*.host.example", ["leaf"]), Self.entry("Host.example", ["leaf"])], []) == []
        )
    }

    @Test("Days to the end of an entry", arguments: [(-1, 0), (0, 0), (1, 1), (86_400, 1), (86_401, 2)])
    func expiry(seconds: Int64, days: Int) {
        var entry = Self.entry("host.example", ["leaf"])
        entry.expiry = Self.now + seconds
        #expect(Self.problems([entry], []) == [.entryExpires(days: days, isSoon: true)])
    }

    @Test func whatIsSoonFollowsTheCadence() {
        var entry = Self.entry("host.example", ["leaf"])
        entry.expiry = Self.now + 40 * Self.day
        #expect(Self.problems([entry], []) == [.entryExpires(days: 40, isSoon: false)])
        let problems = Self.problems([entry], []) { $0.releaseCadence = 41 * Self.day }
        #expect(problems == [.entryExpires(days: 40, isSoon: true)])
        #expect(PinSetProblem.entryExpires(days: 0, isSoon: true).severity == .critical)
    }

    @Test func daysToTheEndOfACertificate() {
        var audit = PinAudit()
        let renewed = NamedCertificate(key: "leaf", issuer: "issuer", notAfter: "260702000000Z")
        let older = NamedCertificate(key: "leaf", issuer: "issuer", notAfter: "260601000000Z")
        let ended = NamedCertificate(key: "ended", issuer: "issuer", notAfter: "260601000000Z")
        audit.certificates = [older.bytes, renewed.bytes, ended.bytes]
        #expect(
            audit.findings(at: Self.now).filter { $0.name == "certificate-expires" } == [
                AuditFinding(
                    place: .key(NamedCertificate.pin("leaf"), certificate: 0),
                    problem: .set(.certificateExpires(days: 1, isSoon: true, end: 1_782_950_400))
                ),
                AuditFinding(
                    place: .key(NamedCertificate.pin("ended"), certificate: 2),
                    problem: .set(.certificateExpires(days: 0, isSoon: true, end: 1_780_272_000))
                ),
            ]
        )
        let sentences = audit.findings(at: Self.now).filter { $0.name == "certificate-expires" }.map(\.sentence)
        #expect(
            sentences == [
                "The last known certificate of the key ends in 1 day, at 2026-07-02T00:00:00Z.",
                "Every known certificate of the key has ended, the last at 2026-06-01T00:00:00Z.",
            ]
        )
        // Beside a policy only its own pins matter.
        audit.policies = [[Self.entry("host.example", ["other"])]]
        #expect(!audit.findings(at: Self.now).contains { $0.name == "certificate-expires" })
    }

    @Test func oneKeyForSeveralHosts() throws {
        let shared = PinSetProblem.sharedKey(hosts: ["a.example.org", "b.example.org"])
        func policy(_ pin: String, _ position: PinPosition = .any) -> [PinPolicy.Entry] {
            ["a.example.org", "b.example.org", "**.b.example.org"].map { Self.entry($0, [pin], position: position) }
        }
        #expect(Self.problems(policy("leaf")) == [shared])
        #expect(Self.problems(policy("issuer")) == [])
        #expect(Self.problems(policy("leaf", .leaf), []) == [shared])
        var audit = PinAudit()
        audit.presentations = try ["c.example", "d.example"].map {
            .init(
                host: try Hostname(parsing: $0),
                chain: try PresentedChain(copying: [Self.leaf("leaf", by: "issuer")])
            )
        }
        let found = audit.findings(at: Self.now).map(\.problem)
        #expect(found.contains(.set(.sharedKey(hosts: ["c.example", "d.example"]))))
    }

    @Test func whatDoesNotCompile() {
        let double = PinPolicyError.duplicatePattern(entry: 1, first: 0)
        #expect(
            Self.problems([Self.entry("host.example", ["leaf"]), Self.entry("HOST.example", ["leaf"])], []) == [
                .refused(double)
            ]
        )
        var single = Self.entry("host.example", ["leaf"])
        single.backup = .unsafeSinglePin(reason: "one key")
        #expect(Self.problems([single], []) == [.noBackup(reason: "one key")])
    }
}
