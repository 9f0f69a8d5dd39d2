internal import ChallengeHandling

/// Reads the rules about refused passwords. Times are whole seconds.
enum LockoutReader {
    /// - Parameter defaults: the rules that the file does not name.
    static func rules(_ node: ProfileNode, _ defaults: LockoutRules) throws(ProfileFileError) -> LockoutRules {
        let fields = try node.mapping(
            known: [
                "refusals", "window-seconds", "attempt-seconds", "withhold-seconds", "forget-seconds", "one-at-a-time",
            ]
        )
        var rules = defaults
        if let node = fields["refusals"] {
            let count = try node.integer()
            guard (1...100).contains(count) else { throw node.error("expected 1 to 100") }
            rules.maximumRefusals = count
        }
        if let node = fields["window-seconds"] { rules.observationWindow = try seconds(node) }
        if let node = fields["attempt-seconds"] { rules.attemptLimit = try seconds(node) }
        if let node = fields["withhold-seconds"] { rules.withholding = try seconds(node) }
        if let node = fields["forget-seconds"] { rules.refusalLifetime = try seconds(node) }
        if let node = fields["one-at-a-time"] { rules.isOneAtATime = try node.boolean() }
        return rules
    }

    /// The most seconds of a time: ten years.
    private static let longest = 10 * 366 * 86_400

    private static func seconds(_ node: ProfileNode) throws(ProfileFileError) -> Duration {
        let count = try node.integer()
        guard (1...longest).contains(count) else { throw node.error("expected 1 to \(longest) seconds") }
        return .seconds(count)
    }
}
