import Secrets
import Testing

@testable import OAuth

@Suite struct FormBodyTests {
    // RFC 6749 appendix B: the characters " %&+£€" are encoded as "+%25%26%2B%C2%A3%E2%82%AC".
    @Test("The example of RFC 6749 appendix B") func specification() {
        var body = FormBody()
        body.append("a", " %&+£€")
        #expect(secretText(body.secret()) == "a=+%25%26%2B%C2%A3%E2%82%AC")
    }

    @Test("A long secret arrives whole, and absent and empty values are left out") func long() {
        let secret = String(repeating: "a/", count: 5_000)
        var body = FormBody()
        body.append("x", nil)
        body.append("long", SharedSecret(utf8: secret))
        body.append("y", "")
        #expect(secretText(body.secret()) == "long=" + secret.replacing("/", with: "%2F"))
    }
}
