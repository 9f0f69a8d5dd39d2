import Secrets
import Testing

@testable import ClientDirectories

/// Passwords that a slow directory has accepted.
@Suite struct AcceptedPasswordsTests {
    private let now = ContinuousClock.now
    private let jdoe = Array("jdoe".utf8)

    @Test("A password is known for its account and its time, and for no other")
    func known() {
        let accepted = AcceptedPasswords(for: .seconds(10))
        let password = SharedSecret(utf8: "secret")
        accepted.insert(password, of: jdoe, now: now)
        #expect(accepted.contains(SharedSecret(utf8: "secret"), of: Array("jdoe".utf8), now: now + .seconds(9)))
        #expect(!accepted.contains(password, of: jdoe, now: now + .seconds(10)))
        #expect(!accepted.contains(SharedSecret(utf8: "secreT"), of: jdoe, now: now))
        #expect(!accepted.contains(password, of: Array("acme\\jdoe".utf8), now: now))
        #expect(!accepted.contains(SharedSecret(utf8: "oesecret"), of: Array("jd".utf8), now: now))
    }

    @Test("At the bound those that end first are forgotten")
    func bound() {
        let accepted = AcceptedPasswords(for: .seconds(100_000))
        let password = SharedSecret(utf8: "secret")
        for index in 0..<AcceptedPasswords.most + 1 {
            accepted.insert(password, of: Array("user\(index)".utf8), now: now + .seconds(index))
        }
        let end = now + .seconds(AcceptedPasswords.most)
        let known = (0...AcceptedPasswords.most).filter {
            accepted.contains(password, of: Array("user\($0)".utf8), now: end)
        }
        #expect(known == Array(AcceptedPasswords.most / 2 + 1...AcceptedPasswords.most))
    }
}
