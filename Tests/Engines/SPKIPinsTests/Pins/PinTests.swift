import SPKIPins
import Testing
import WireFormat

@Suite struct PinTests {
    /// The two pins of RFC 7469 2.1.5.
    private static let published = [
        "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=",
        "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g=",
    ]

    @Test("FIPS 180-4, the digest of \"abc\"")
    func hashesTheBytesGiven() throws {
        let expected = try Pin(parsing: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Pin(hashing: [UInt8]("abc".utf8).span) == expected)
    }

    @Test("All spellings of a pin are one pin", arguments: published)
    func spellings(base64: String) throws {
        let bytes = try Base64.decode(base64)
        let pin = try Pin(parsing: base64)
        #expect(pin.bytes == bytes)
        #expect(pin.description == "sha256/\(base64)")
        let hexadecimal = Hexadecimal.encode(bytes.span)
        for text in ["sha256/\(base64)", "sha256//\(base64)", hexadecimal, hexadecimal.uppercased()] {
            #expect(try Pin(parsing: text) == pin, "\(text)")
        }
        #expect(try Pin(parsing: pin.description).hashValue == pin.hashValue)
    }

    @Test("A slash at the start of the base64 is not curl's second slash, nor is a pin that starts like a name a name")
    func slashes() throws {
        let slash = "/" + String(repeating: "A", count: 41) + "E="
        #expect(try Pin(parsing: "sha256/\(slash)").bytes == Base64.decode(slash))
        #expect(try Pin(parsing: "sha256//\(slash)").bytes == Base64.decode(slash))
        for start in ["sha256/", "sha256//", "sha1/", "sha9/"] {
            let bare = start + String(repeating: "A", count: 43 - start.count) + "="
            #expect(try Pin(parsing: bare).bytes == Base64.decode(bare))
        }
    }

    @Test(
        "S14: what could never match is refused by name",
        arguments: [
            ("", .wrongLength(bytes: 0)),
            ("sha256/", .wrongLength(bytes: 0)),
            ("sha256//", .wrongLength(bytes: 0)),
            ("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .sha1),
            ("2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .sha1),
            ("sha256/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .sha1),
            ("a9993e364706816aba3e25717850c26c9cd0d89d", .sha1),
            ("sha256/AQID", .wrongLength(bytes: 3)),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", .wrongLength(bytes: 33)),
            (String(repeating: "0", count: 62), .invalidEnding),
            ("sha512/" + String(repeating: "A", count: 86) + "==", .unknownAlgorithm),
            ("sha-256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", .unknownAlgorithm),
            ("SHA256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", .invalidEnding),
            ("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", .allZero),
            ("0000000000000000000000000000000000000000000000000000000000000000", .allZero),
            // zeros of other lengths: 1, 16, 20, 31, 33, 48 and 64 bytes
            ("AA==", .allZero), ("sha256/" + String(repeating: "A", count: 22) + "==", .allZero),
            ("sha256/" + String(repeating: "A", count: 27) + "=", .allZero),
            (String(repeating: "0", count: 40), .allZero),
            (String(repeating: "A", count: 42) + "==", .allZero), (String(repeating: "A", count: 44), .allZero),
            ("sha256/" + String(repeating: "A", count: 64), .allZero),
            ("sha256/" + String(repeating: "A", count: 86) + "==", .allZero),
            // `openssl dgst -sha256` of nothing, of a line feed, and of CRLF
            ("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfNothing),
            ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfNothing),
            ("sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .hashOfNothing),
            ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", .hashOfNothing),
            ("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855", .hashOfNothing),
            ("sha256/AbpHGcgLb+kRsJGnwFEktk7uzpZOCcBY74+YBdrKVGs=", .hashOfNothing),
            ("frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=", .hashOfNothing),
            ("sha256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM", .invalidEnding),
            ("sha256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmN=", .invalidEnding),
            ("sha256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWm\u{20}=", .invalidCharacter(offset: 49)),
            ("sha256/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZW-_=", .invalidCharacter(offset: 48)),
            ("é" + String(repeating: "A", count: 42), .invalidCharacter(offset: 0)),
            (String(repeating: "A", count: 257), .tooLong(characters: 257, limit: 256)),
        ] as [(String, PinError)]
    )
    func refused(text: String, error: PinError) {
        #expect(throws: error) { try Pin(parsing: text) }
    }
}

@Suite struct PinsOfManyCertificatesTests {
    @Test("Many at once are what each is alone, the unreadable ones included")
    func agreesWithOneByOne() throws {
        var bytes: [UInt8] = [0xFF]
        var places: [Range<Int>] = []
        for round in 0..<20 {
            for fixture in Fixture.all {
                var certificate = try fixture.der
                if round % 5 == 4 { certificate[1] = 0x80 }
                places.append(bytes.count..<bytes.count + certificate.count)
                bytes += certificate
            }
        }
        let expected = places.map { place -> Result<Pin, CertificateError> in
            do throws(CertificateError) {
                return .success(try Pin(ofCertificate: bytes.span.extracting(place)))
            } catch {
                return .failure(error)
            }
        }
        #expect(Pin.ofCertificates(at: places, in: bytes.span) == expected)
        #expect(expected.contains(.failure(.indefiniteLength(offset: 1))))
        #expect(Pin.ofCertificates(at: [], in: bytes.span).isEmpty)
    }
}
