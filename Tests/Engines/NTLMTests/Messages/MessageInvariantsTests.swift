import Testing
import WireFormat

@testable import NTLM

@Suite struct MessageInvariantsTests {
    private typealias Example = SpecificationExample

    @Test("The session key ends the AUTHENTICATE of MS-NLMP 4.2.4.3, so one byte less breaks an invariant")
    func authenticateLayout() throws {
        let bytes = try Example.bytes(Example.authenticate)
        let layout = try AuthenticateLayout(of: bytes.span)
        #expect(layout.brokenInvariant(messageCount: bytes.count) == nil)
        #expect(layout.brokenInvariant(messageCount: bytes.count - 1)?.contains("EncryptedRandomSessionKey") == true)
    }

    @Test("The attributes end the CHALLENGE of MS-NLMP 4.2.4.3, so one byte less breaks an invariant")
    func challengeLayout() throws {
        let bytes = try Example.bytes(Example.challenge)
        let layout = try ChallengeLayout(of: bytes.span)
        #expect(layout.brokenInvariant(messageCount: bytes.count) == nil)
        #expect(layout.brokenInvariant(messageCount: bytes.count - 1)?.contains("TargetInfo") == true)
    }

    @Test("A field that begins early, ends late or overlaps another one is found; an empty one has no place")
    func payload() {
        func broken(_ user: Range<Int>, _ domain: Range<Int>) -> String? {
            PayloadMap.brokenInvariant(of: [(.userName, user), (.domainName, domain)], from: 64, to: 80)
        }
        #expect(broken(72..<80, 64..<72) == nil)
        #expect(broken(0..<0, 64..<80) == nil)
        #expect(broken(63..<70, 70..<80)?.contains("UserName") == true)
        #expect(broken(64..<70, 70..<81)?.contains("DomainName") == true)
        #expect(broken(71..<80, 64..<72)?.contains("overlap") == true)
    }

    @Test("A response of another range or in a shorter message is found")
    func response() throws {
        let bytes = try Example.bytes(Example.ntProofStr + Example.temp)
        let range = 0..<bytes.count
        let layout = try NTLMv2ResponseLayout(range, in: bytes.span)
        #expect(layout.brokenInvariant(range, messageCount: bytes.count) == nil)
        #expect(layout.brokenInvariant(range, messageCount: bytes.count - 1) != nil)
        #expect(layout.brokenInvariant(0..<(bytes.count - 1), messageCount: bytes.count)?.contains("temp") == true)
        #expect(layout.brokenInvariant(1..<bytes.count, messageCount: bytes.count)?.contains("NTProofStr") == true)
    }

    @Test("MsvAvEOL inside a list is found; `init` drops it")
    func attributes() {
        let name = AVPair(id: .nbDomainName, value: [0x41, 0])
        let pairs = [name, AVPair(id: .eol, value: []), name]
        #expect(TargetInfo.brokenInvariant(of: pairs)?.contains("attribute 1 of 3") == true)
        #expect(TargetInfo(pairs: pairs).brokenInvariant() == nil)
        #expect(TargetInfo(pairs: pairs).pairs == [name, name])
    }
}
