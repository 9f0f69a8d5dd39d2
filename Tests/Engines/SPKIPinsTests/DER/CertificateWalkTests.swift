import SPKIPins
import TestSupport
import Testing
import WireFormat

@Suite struct CertificateWalkTests {
    private func walk(_ certificate: [UInt8]) throws(CertificateError) -> CertificateWalk {
        try CertificateWalk(of: certificate.span)
    }

    private func walkError(_ certificate: [UInt8]) -> CertificateError? {
        do throws(CertificateError) { _ = try walk(certificate) } catch { return error }
        return nil
    }

    // MARK: What an independent maker wrote

    @Test("Pin, serial and validity are those that openssl finds", arguments: Fixture.all)
    func agreesWithOpenSSL(fixture: Fixture) throws {
        let der = try fixture.der
        let walk = try walk(der)
        #expect(try Pin(ofCertificate: der.span).description == "sha256/\(fixture.pin)")
        #expect(Hexadecimal.encode(der[walk.serial].span).uppercased() == fixture.serial)
        #expect(try unixSeconds(ofTime: walk.notBefore, in: der.span) == fixture.notBefore)
        #expect(try unixSeconds(ofTime: walk.notAfter, in: der.span) == fixture.notAfter)
        #expect(try walk.signatureHash(in: der.span) == fixture.signatureHash)
    }

    @Test("Issuer and subject of a chain's certificates chain byte by byte")
    func namesChain() throws {
        let chain = try ["chain-leaf", "chain-issuer", "chain-anchor"].map { name in
            try #require(Fixture.all.first { $0.name == name }).der
        }
        let walks = try chain.map { certificate throws(CertificateError) in try walk(certificate) }
        #expect(chain[0][walks[0].issuer] == chain[1][walks[1].subject])
        #expect(chain[1][walks[1].issuer] == chain[2][walks[2].subject])
        #expect(chain[0][walks[0].subject] != chain[0][walks[0].issuer])
        // CN=leaf.example as openssl writes it: SET { SEQUENCE { 2.5.4.3, UTF8String } }
        let name = [UInt8]("leaf.example".utf8)
        #expect(
            Array(chain[0][walks[0].subject]) == der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3], der(0x0C, name))))
        )
    }

    // MARK: The naive twin

    @Test("The walk and the naive tree accept the same mutants and find the same key", arguments: UInt64(1)...48)
    func agreesWithTree(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for fixture in Fixture.all {
            let original = try fixture.der
            for _ in 0..<12 {
                var mutant = original
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    // Three of four hits in the first bytes, where the frame is; elsewhere most bytes are contents.
                    let isEarly = Int.random(in: 0..<4, using: &generator) > 0
                    let offset = Int.random(
                        in: 0..<(isEarly ? min(220, mutant.count) : mutant.count),
                        using: &generator
                    )
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: mutant.remove(at: offset)
                    case 1: mutant.insert(UInt8.random(in: 0...255, using: &generator), at: offset)
                    default: mutant[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    }
                }
                let found: [UInt8]? = (try? walk(mutant)).map { Array(mutant[$0.subjectPublicKeyInfo.range]) }
                #expect(
                    found == DERTree.subjectPublicKeyInfo(of: mutant),
                    "\(fixture.name) \(Hexadecimal.encode(mutant.span))"
                )
            }
        }
    }

    // MARK: Malformed input

    @Test("Every proper prefix is an error", arguments: Fixture.all)
    func truncations(fixture: Fixture) throws {
        let der = try fixture.der
        for count in 0..<der.count {
            guard case .truncated = walkError(Array(der.prefix(count))) else {
                Issue.record("a prefix of \(count) bytes was not called truncated")
                return
            }
        }
    }

    @Test("S5: bytes behind the certificate, which d2i of OpenSSL lets pass, are an error", arguments: Fixture.all)
    func trailingByte(fixture: Fixture) throws {
        let der = try fixture.der
        #expect(walkError(der + [0]) == .trailingBytes(offset: der.count, count: 1))
    }

    @Test("Every error has an offset inside the bytes, or just behind them", arguments: UInt64(1)...8)
    func offsets(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for fixture in Fixture.all {
            var mutant = try fixture.der
            mutant[Int.random(in: 0..<mutant.count, using: &generator)] ^= 0x80
            if let error = walkError(mutant) { #expect((0...mutant.count).contains(error.offset), "\(error)") }
        }
        #expect(CertificateError.tooLarge(bytes: 70_000, limit: 65_536).offset == 65_536)
        #expect(CertificateError.trailingBytes(offset: 7, count: 2).offset == 7)
    }

    @Test func indefiniteLengthOfTheWhole() throws {
        let inside = Array(HandmadeCertificate().bytes.dropFirst(2))
        #expect(walkError([0x30, 0x80] + inside + [0, 0]) == .indefiniteLength(offset: 1))
    }

    @Test func longFormOfAShortLength() throws {
        let bytes = HandmadeCertificate().bytes
        #expect(bytes[1] < 0x80)
        #expect(walkError([0x30, 0x81] + bytes.dropFirst()) == .nonMinimalLength(offset: 1))
    }

    @Test func largerThanTheLimit() {
        let bytes = [UInt8](repeating: 0x30, count: CertificateWalk.largestCertificate + 1)
        #expect(walkError(bytes) == .tooLarge(bytes: 65_537, limit: 65_536))
    }

    @Test(
        "S6: every element on the way is enforced",
        arguments: [
            (.version, [0xA1, 0x03, 0x02, 0x01, 0x02]),
            (.version, [0xA0, 0x03, 0x04, 0x01, 0x02]),
            (.version, [0xA0, 0x04, 0x02, 0x01, 0x02, 0x00]),
            (.version, [0x80, 0x01, 0x02]),
            (.version, [0xA0, 0x00]),
            (.serial, [0x04, 0x01, 0x01]),
            (.serial, []),
            (.innerAlgorithm, [0x31, 0x00]),
            (.issuer, [0x31, 0x00]),
            (.notBefore, [0x16, 0x00]),
            (.notAfter, []),
            (.validityExtra, [0x17, 0x00]),
            (.subject, [0x0C, 0x00]),
            (.keyAlgorithm, [0x06, 0x00]),
            (.keyBits, [0x04, 0x01, 0x00]),
            (.keyBits, [0x03, 0x00]),
            (.keyBits, [0x03, 0x02, 0x08, 0x00]),
            (.keyBits, [0x23, 0x03, 0x03, 0x01, 0x00]),
            (.keyExtra, [0x05, 0x00]),
            (.afterKey, [0xA3]),
            (.afterKey, [0xA3, 0x80, 0x00, 0x00]),
            (.outerAlgorithm, [0x06, 0x00]),
            (.signature, [0x04, 0x00]),
            (.afterSignature, [0x05, 0x00]),
        ] as [(HandmadeCertificate.Part, [UInt8])]
    )
    func damagedPart(part: HandmadeCertificate.Part, bytes: [UInt8]) {
        var certificate = HandmadeCertificate()
        #expect(walkError(certificate.bytes) == nil)
        certificate[part] = bytes
        #expect(walkError(certificate.bytes) != nil)
        #expect(DERTree.subjectPublicKeyInfo(of: certificate.bytes) == nil)
    }

    @Test(
        "S3, S4: what does not lie on the way to the key cannot cost the pin",
        arguments: [
            (.version, []),
            (.serial, [0x02, 0x01, 0xFB]),
            (.serial, [0x02, 0x00]),
            (.serial, der(0x02, [UInt8](repeating: 0xFF, count: 40))),
            (.innerAlgorithm, [0x30, 0x00]),
            (.issuer, [0x30, 0x01, 0xFF]),
            (.notBefore, der(0x17, [UInt8]("9901010000+0100".utf8))),
            (.notAfter, der(0x18, [UInt8]("never".utf8))),
            (.afterKey, der(0xA3, [0xFF, 0xFF])),
            (.afterKey, der(0x81, [0]) + der(0x82, [0]) + der(0xA3, der(0x30, [0x01, 0x01, 0x00]))),
            (.outerAlgorithm, [0x30, 0x00]),
            (.signature, [0x03, 0x00]),
        ] as [(HandmadeCertificate.Part, [UInt8])]
    )
    func oddPart(part: HandmadeCertificate.Part, bytes: [UInt8]) throws {
        var certificate = HandmadeCertificate()
        certificate[part] = bytes
        let range = try walk(certificate.bytes).subjectPublicKeyInfo.range
        #expect(Array(certificate.bytes[range]) == certificate.subjectPublicKeyInfo)
    }

    @Test("S3: a key of any algorithm has a pin, also of an unknown one")
    func unknownKeyAlgorithm() throws {
        var certificate = HandmadeCertificate()
        certificate[.keyAlgorithm] = der(0x30, der(0x06, [0x88, 0x37, 0x01]), [0xFF])
        certificate[.keyBits] = der(0x03, [3, 0xF8])
        let pin = try Pin(ofCertificate: certificate.bytes.span)
        #expect(pin == Pin(hashing: certificate.subjectPublicKeyInfo.span))
    }
}
