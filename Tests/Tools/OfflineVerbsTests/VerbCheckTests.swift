import Testing

@testable import OfflineVerbs

/// Which verb a person may have meant.
@Suite struct VerbCheckTests {
    private static let verbs = ["get", "explain", "relay", "replay", "sites", "pins", "credentials"]

    @Test(
        "The nearest verbs, by letters that are put in, left out, replaced or exchanged",
        arguments: [
            ("gett", ["get"]), ("ge", ["get"]), ("gte", ["get"]), ("GET", ["get"]), ("explian", ["explain"]),
            ("expl", []), ("reply", ["replay"]), ("relplay", ["replay"]), ("repay", ["relay", "replay"]),
            ("site", ["sites"]),
            ("credential", ["credentials"]), ("credntial", ["credentials"]), ("crdntial", []), ("x", []), ("", []),
            (String(repeating: "get", count: 1000), []),
        ]
    )
    func near(word: String, expected: [String]) {
        #expect(VerbCheck.near(word, Self.verbs) == expected)
    }
}
