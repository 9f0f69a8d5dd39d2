import TestSupport
import Testing

@testable import SallyportURLSession

@Suite struct ChallengeSenderTests {
    @Test(
        "Of the system's senders only those of NSURLConnection take answers, and an application's own do",
        .row(14),
        arguments: [
            ("FoundationNetworking.URLSessionChallengeSender", nil, false),
            ("__NSSender", "com.apple.CFNetwork", false),
            ("WKSender", "com.apple.WebKit", false), ("NSURLConnectionInternal", "com.apple.CFNetwork", true),
            ("Acme.Sender", nil, true), ("ACMESender", "com.acme.viewer", true),
            ("Acme.FoundationNetworking.Sender", "com.acme.viewer", true),
        ] as [(String, String?, Bool)]
    )
    func senders(name: String, bundle: String?, isTaken: Bool) {
        #expect(ChallengeSender.takesAnswers(class: name, bundle: bundle) == isTaken)
    }
}
