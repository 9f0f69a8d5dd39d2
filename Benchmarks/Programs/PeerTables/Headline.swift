internal import PeerComparison

/// What is most worth knowing, by the names that the engines' comparisons give it.
enum Headline {
    static let ours = "Sallyport"

    static let all: [(title: String, operation: String)] = [
        ("NT hash, 12 characters", "nt-hash"),
        ("NTLM: AUTHENTICATE", "authenticate"),
        ("NTLM: verify", "verify"),
        ("site among 1,000, allowed", "site among 1000, hit"),
        ("site among 1,000, not allowed", "site among 1000, miss"),
        ("site among 100,000, allowed", "site among 100000, hit"),
        ("site among 100,000, not allowed", "site among 100000, miss"),
        ("site among 1,000,000, allowed", "site among 1000000, hit"),
        ("walk from a certificate to its key", walk),
        ("certificate to pin", pin),
        ("pin among 1,000, found", "pin among 1000, hit"),
        ("pin among 100,000, found", "pin among 100000, hit"),
    ]

    private static let walk = "walk to the key"
    private static let pin = "certificate to pin"
    private static let walkC = "C walk"
    private static let pinC = "C walk, SHA-NI"

    /// Goals of the engine of pins; those of sites stand in its catalogue, with the sizes that they were set for.
    static let goals: [Goal] = [
        Goal(ours, walk, "at most 1.25 × the C walk", .times(1.25, who: walkC, operation: walk)),
        Goal(ours, pin, "at most 1.25 × C walk, SHA-NI", .times(1.25, who: pinC, operation: pin)),
        Goal(
            ours,
            "many certificates to pins",
            "at most 0.75 × C walk, SHA-NI, one at a time",
            .times(0.75, who: pinC, operation: pin)
        ),
        Goal(
            ours,
            "decision, chain of three, cold",
            "at most 6.2 × C walk, SHA-NI, of one certificate",
            .times(6.2, who: pinC, operation: pin)
        ),
        Goal(
            ours,
            "decision, chain of three, memo",
            "at most 1.7 × C walk, SHA-NI, of one certificate",
            .times(1.7, who: pinC, operation: pin)
        ),
    ]
}
