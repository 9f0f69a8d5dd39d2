import Testing

/// Who may say that a chain of certificates is validated.
@Suite struct ValidatedChainTests {
    @Test(
        "S17: six places in Sources give their word that a chain was validated, and nothing else makes such a chain"
    )
    func presentedChainsDecideNothing() throws {
        // The compiler refuses a presented chain as the argument of a decision. These callers assert that a chain is
        // validated: the command for its user, a replay for what was recorded, two policies of a verifier, which are
        // asked about paths whose signatures are checked, on macOS the path that Security has evaluated, and the handler for a
        // certificate that is its own anchor, because the profile trusts its key.
        var asserting: [String] = []
        var makingValidated: [String] = []
        for (file, text) in try Repository.swiftFiles(below: "Sources") {
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            if code.contains(where: { $0.contains("assertingValidated:") }) { asserting.append(file) }
            makingValidated += code.filter { $0.contains("-> ValidatedChain") }.map { "\(file): \($0)" }
        }
        #expect(
            asserting == [
                "Adapters/SallyportNIO/TLS/ServerPathPolicy.swift",
                "Adapters/SallyportURLSession/Controller/SystemCredentials+Darwin.swift",
                "Handling/ChallengeHandling/Handler/ChallengeHandler+TrustedKeys.swift",
                "Study/ChallengeReplay/ReplaySession.swift",
                "Tools/OfflineVerbs/Pins/PinsCheckCommand.swift",
            ],
            "another caller is a decision: judge whether its chains are validated, then name its file here"
        )
        #expect(makingValidated == [])
    }
}
