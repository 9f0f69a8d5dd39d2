import BigInt
import SPKIPins
import Testing

@testable import PinAudits

@Suite struct BlockedModuliTests {
    private func list(_ lines: String...) throws -> BlockedModuli {
        var list = BlockedModuli()
        for text in lines { try list.add(list: [UInt8](text.utf8)) }
        return list
    }

    @Test("A modulus and its hash as Let's Encrypt's tests of the same lists have them (Boulder, goodkey)")
    func publishedModulus() throws {
        let digits = """
            D673252AF6723C3F72529403EAB7C30DEF3C52F97E799825F4A70191C616ADCF1ECE1113F1625971074C492C592025FDEADBDB146A081826\
            BDF0D77C3C913DCF1B6F0B3B78F5108D2E493AD0EEE8CA5C021711ADC13D358E61133870FCD19C8E5C22403959782AA82E72AEE53A3D491E\
            3912CE27B27E1A85EA69C19A527D28F7934C9823B7E56FDD657DAC83FDC65BB22A98D843DF73238919781B714C81A5E2AFEC71F5C54AA2A2\
            7C590AD94C03C1062D50EFCFFAC743E3C8A3AE056846A1D756EB862BF4224169D467C35215ADE0AFCC11E85FE629AFB802C4786FF2E9C929\
            BCCF502B3D3B8876C6A11785CC398B389F1D86BDD9CB0BD4EC13956EC3FA270D
            """
        let key = RSAPublicKey(modulus: try #require(BigUInt(digits, radix: 16)), exponent: 65_537)
        #expect(try list("# comment\n\n8df20e6961a16398b85a\n").contains(key))
        #expect(try list("00005890bc78bcbee3ca\n", "8DF20E6961A16398B85A \r\n").contains(key))
        #expect(try !list("8df20e6961a16398b85b\n").contains(key))
        #expect(!BlockedModuli().contains(key))
    }

    @Test(
        "Hashes that openssl (rsa -modulus, sha1sum) and ssh-keygen (-l -E md5) print of a key",
        arguments: [
            "f10f1c76473d91bb00db", "39b772a87ae217f7093a",
        ]
    )
    func hashesOfTools(suffix: String) throws {
        let fixtures = try WeakKeyFixture.all().filter { ["sound-rsa2048", "sound-rsa3072"].contains($0.name) }
        var audit = PinAudit()
        audit.subjectPublicKeyInfos = fixtures.map(\.subjectPublicKeyInfo)
        audit.blockedModuli = try list(suffix)
        let found = audit.findings(at: 0)
        let key = fixtures[0].subjectPublicKeyInfo
        let pin = Pin(hashing: key.span)
        #expect(found.map(\.problem) == [.key(.blocked)] && found.first?.place == .key(pin, certificate: nil))
        // On two lists it is one finding.
        audit.blocked = [pin]
        #expect(audit.findings(at: 0).map(\.problem) == [.key(.blocked)])
    }

    @Test(
        "A malformed line is an error with its number",
        arguments: [
            "8df20e6961a16398b85", "8df20e6961a16398b85ag", "8df20e6961a16398b85g", "8df20e69 61a16398b85a",
            "+df20e6961a16398b85a",
            "a3853d0c563765e504c18df20e6961a16398b85a", "\u{FF18}df20e6961a16398b85a", "sha256/AAAA",
        ]
    )
    func malformedLines(line: String) throws {
        #expect(throws: BlockedModuliError(line: 3)) { try list("# a\n8df20e6961a16398b85a\n\(line)\n") }
    }
}
