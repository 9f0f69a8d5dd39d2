import InsecureDigests
import Testing

@testable import NTLM

@Suite struct SessionKeysInvariantsTests {
    private let one = Digest16(low: 1, high: 2)
    private let other = Digest16(low: 1, high: 3)

    @Test("Two different keys need an exchange of keys")
    func differentKeys() {
        let keys = SessionKeys(sessionBaseKey: one, exportedSessionKey: other)
        #expect(keys.brokenInvariant(agreedOn: [.sign, .keyExchange]) == nil)
        // MS-NLMP 3.1.5.1.2: no key is exchanged without signing or sealing.
        #expect(keys.brokenInvariant(agreedOn: [.keyExchange])?.contains("same") == true)
        #expect(keys.brokenInvariant(agreedOn: [.sign])?.contains("same") == true)
        let same = SessionKeys(sessionBaseKey: one, exportedSessionKey: one)
        #expect(same.brokenInvariant(agreedOn: [.sign]) == nil)
    }

    @Test("Cleared keys and drawn random numbers are not the keys of a session")
    func unfinishedHandshake() {
        var keys = SessionKeys(sessionBaseKey: one, exportedSessionKey: one)
        keys.clear()
        #expect(keys.brokenInvariant(agreedOn: [])?.contains("zero") == true)
        keys.drawNonces()
        #expect(keys.brokenInvariant(agreedOn: [.sign, .keyExchange])?.contains("random") == true)
        _ = keys.takeNonces()
        keys.replace(sessionBaseKey: one, exportedSessionKey: one)
        #expect(keys.brokenInvariant(agreedOn: []) == nil)
    }
}
