internal import PeerComparison

/// The rows of the short table, by the names that the comparisons of the engines give them.
enum Headline {
    static let ours = "Sallyport"

    static let all: [(title: String, operation: String)] = [
        ("NT hash, 12 characters", "nt-hash"),
        ("NTLM: AUTHENTICATE", "authenticate"),
        ("NTLM: verify", "verify"),
        ("Kerberos: first token", kerberos[0]),
        ("Kerberos: both sides", kerberos[1]),
        ("site among 1,000, allowed", "site among 1000, hit"),
        ("site among 1,000, not allowed", "site among 1000, miss"),
        ("site among 100,000, allowed", "site among 100000, hit"),
        ("site among 100,000, not allowed", "site among 100000, miss"),
        ("site among 1,000,000, allowed", "site among 1000000, hit"),
        ("URL among 1,000 sites, allowed", "site among 1000, hit-url"),
        ("URL among 100,000 sites, allowed", "site among 100000, hit-url"),
        ("walk from a certificate to its key", walk),
        ("certificate to pin", pin),
        ("pin among 1,000, found", "pin among 1000, hit"),
        ("pin among 100,000, found", "pin among 100000, hit"),
    ]

    private static let walk = "walk to the key"
    private static let pin = "certificate to pin"
    private static let walkC = "C walk"
    private static let pinC = "C walk, SHA-NI"

    /// Goals of Kerberos and pins. The goals of sites are in `Benchmarks/Reports/AllowedSites.md`, with the sizes that they were set for.
    static let goals = kerberosGoals + certificateGoals + lookUpGoals + allocationGoals

    private static let kerberos = ["Kerberos: first token", "Kerberos: both sides"]
    private static let kerberosGoals: [Goal] = kerberos.map { operation in
        let bound = Goal.Bound.times(1.1, who: "MIT Kerberos in C", operation: operation)
        return Goal(ours, operation, "at most 1.1 × MIT Kerberos in C", bound)
    }

    private static let certificateGoals: [Goal] = [
        Goal(ours, walk, "at most 1.25 × the C walk", .times(1.25, who: walkC, operation: walk)),
        Goal(ours, pin, "at most 1.25 × C walk, SHA-NI", .times(1.25, who: pinC, operation: pin)),
        Goal(ours, pin, "at least 80 × NIOSSL", .times(1 / 80, who: "NIOSSL", operation: pin)),
        Goal(
            ours,
            pin,
            "at least 150 × swift-certificates",
            .times(1 / 150, who: "swift-certificates", operation: pin)
        ),
        perCertificate("many certificates to pins", 0.75),
        perCertificate("decision, chain of three, cold", 6.2),
        perCertificate("decision, chain of three, memo", 1.7),
    ]

    private static let lookUpGoals: [Goal] = {
        var goals = ["hit", "miss"].map { perCertificate("host among 100000 patterns, \($0)", 0.6) }
        for count in [1000, 100_000, 1_000_000] {
            for kind in ["hit", "miss"] {
                let operation = "pin among \(count), \(kind)"
                let six = Goal.Bound.times(1 / 6, who: "Set<SHA256Digest>", operation: operation)
                goals.append(perCertificate(operation, 0.1))
                goals.append(Goal(ours, operation, "at least 6 × Set<SHA256Digest>", six))
            }
        }
        return goals
    }()

    private static let allocationGoals: [Goal] = [
        walk, pin, "decision, chain of three, cold", "decision, chain of three, memo", "host among 1000 patterns, hit",
        "host among 1000 patterns, miss", "pin among 1000, hit", "pin among 1000, miss",
    ].map { operation in Goal(ours, operation, "no allocation", .allocations(0)) }

    /// A goal that was set in nanoseconds for a machine on which the C walk with SHA-NI takes 100 for a certificate.
    private static func perCertificate(_ operation: String, _ times: Double) -> Goal {
        let text = "at most \(times) × C walk, SHA-NI, of one certificate"
        return Goal(ours, operation, text, .times(times, who: pinC, operation: pin))
    }
}
