import Credentials
import SmartCards
import TestSupport
import Testing

@Suite struct PKCS11URITests {
    private func parse(_ text: String) throws -> PKCS11URI { try PKCS11URI(parsing: text) }

    @Test("The examples of RFC 7512 section 3 that name cards and objects")
    func examples() throws {
        #expect(try parse("pkcs11:") == PKCS11URI())
        // The RFC's first examples name public keys, which are not supported as a type.
        #expect(throws: PKCS11URIError.otherType) { try parse("pkcs11:object=my-pubkey;type=public") }
        let key = try parse("pkcs11:object=my-key;type=private?pin-source=file:/etc/token")
        #expect(key.object == "my-key" && key.pinSource == .file(path: "/etc/token"))
        let certificate = try parse(
            "pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;manufacturer=Snake%20Oil,%20Inc.;model=1.0;"
                + "object=my-certificate;type=cert;id=%69%95%3E%5C%F4%BD%EC%91?pin-source=file:/etc/token_pin"
        )
        #expect(certificate.token == "The Software PKCS#11 Softtoken")
        #expect(certificate.manufacturer == "Snake Oil, Inc." && certificate.model == "1.0")
        #expect(certificate.id == [0x69, 0x95, 0x3E, 0x5C, 0xF4, 0xBD, 0xEC, 0x91])
        #expect(throws: PKCS11URIError.otherPINSource) {
            try parse("pkcs11:token=Software%20PKCS%2311%20softtoken;object=x?pin-source=|/usr/lib/pinomatic")
        }
        #expect(
            try parse("pkcs11:token=A%20name%20with%20a%20substring%20%25%3B").token == "A name with a substring %;"
        )
        #expect(try parse("pkcs11:token=small%20A%20with%20acute:%20%C3%A1").token == "small A with acute: \u{E1}")
        // The RFC's name of this card is longer than the field of a card.
        #expect(throws: PKCS11URIError.valueTooLong("token", limit: 32)) {
            try parse("pkcs11:token=Name%20with%20a%20small%20A%20with%20acute:%20%C3%A1")
        }
        #expect(throws: PKCS11URIError.unknownAttribute("vendor-aaa")) {
            try parse("pkcs11:token=my-token;object=my-certificate;type=cert;vendor-aaa=value-a")
        }
        #expect(throws: PKCS11URIError.pinInside) { try parse("pkcs11:token=my-token?pin-value=1234") }
        #expect(throws: PKCS11URIError.unsupportedAttribute("slot-id", use: "token or serial")) {
            try parse("pkcs11:slot-id=327")
        }
    }

    @Test(
        "Modules and files of PINs",
        arguments: ["file:/run/pin", "file:///run/pin", "FILE://localhost/run/pin", "/run/pin"]
    )
    func query(source: String) throws {
        let uri = try parse("PKCS11:serial=1?module-path=/usr/lib/a%20b.so&pin-source=\(source)")
        #expect(uri.modulePath == "/usr/lib/a b.so" && uri.pinSource == .file(path: "/run/pin") && uri.serial == "1")
        #expect(uri.description == "pkcs11:serial=1?module-path=/usr/lib/a%20b.so&pin-source=file:/run/pin")
    }

    @Test(
        "What is wrong, and where",
        arguments: [
            ("", PKCS11URIError.otherScheme), ("pkcs12:token=a", .otherScheme), ("pkcs11", .otherScheme),
            ("PKCS\u{11}\u{11}:", .otherScheme),
            ("pkcs11:token", .brokenAttribute(offset: 7)), ("pkcs11:=a", .brokenAttribute(offset: 7)),
            ("pkcs11:token=a;", .brokenAttribute(offset: 15)), ("pkcs11:token=a;;id=a", .brokenAttribute(offset: 15)),
            ("pkcs11:token=", .unusableValue("token")), ("pkcs11:id=", .unusableValue("id")),
            ("pkcs11:token=a%00", .unusableValue("token")), ("pkcs11:token=%FF", .unusableValue("token")),
            ("pkcs11:token=a%2", .brokenPercent(offset: 14)), ("pkcs11:token=a%g0", .brokenPercent(offset: 14)),
            ("pkcs11:token=a b", .unexpectedByte(offset: 14)), ("pkcs11:token=a/b", .unexpectedByte(offset: 14)),
            ("pkcs11:token=\u{E1}", .unexpectedByte(offset: 13)), ("pkcs11:token=a#b", .unexpectedByte(offset: 14)),
            ("pkcs11:to%6Ben=a", .unexpectedByte(offset: 9)),
            ("pkcs11:token=a;token=a", .repeatedAttribute("token")),
            ("pkcs11:?module-path=/a&module-path=/a", .repeatedAttribute("module-path")),
            ("pkcs11:?module-path=a.so", .relativeModulePath),
            ("pkcs11:?module-name=opensc", .unsupportedAttribute("module-name", use: "module-path")),
            ("pkcs11:?pin-source=pin", .otherPINSource), ("pkcs11:?pin-source=file:pin", .otherPINSource),
            ("pkcs11:?pin-source=file://host/pin", .otherPINSource), ("pkcs11:?pin-source=https:/pin", .otherPINSource),
            ("pkcs11:pin-value=1", .pinInside), ("pkcs11:?token=a", .unknownAttribute("token")),
            ("pkcs11:token=\(String(repeating: "a", count: 33))", .valueTooLong("token", limit: 32)),
            ("pkcs11:serial=\(String(repeating: "1", count: 17))", .valueTooLong("serial", limit: 16)),
            ("pkcs11:id=\(String(repeating: "a", count: 1_025))", .valueTooLong("id", limit: 1_024)),
            ("pkcs11:token=\(String(repeating: "a", count: 5_000))", .tooLong),
        ]
    )
    func wrong(text: String, error: PKCS11URIError) {
        #expect(throws: error) { try parse(text) }
        #expect(!error.description.contains("\n") && error.description.contains(": "))
    }

    @Test("No error shows a value of the URI, which may be a PIN")
    func secrets() {
        for text in [
            "pkcs11:pin-value=8765", "pkcs11:?pin-value=8765&x", "pkcs11:token=8765 ", "pkcs11:x;pin-value=8765",
        ] {
            #expect {
                try parse(text)
            } throws: {
                !"\($0)".contains("8765")
            }
        }
    }

    @Test("Changed URIs end with an error, or are read again as the same", arguments: UInt64(1)...8)
    func changed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let begin = Array(
            "pkcs11:token=A%20b;serial=12;object=x%25;id=%00%FF;type=cert?module-path=/a/b.so&pin-source=file:/c".utf8
        )
        var read = 0
        for _ in 0..<5_000 {
            var bytes = begin
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = bytes.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: place)
                default: bytes = Array(bytes.prefix(place + 1))
                }
            }
            guard let uri = try? PKCS11URI(parsing: String(decoding: bytes, as: UTF8.self)) else { continue }
            read += 1
            #expect(try PKCS11URI(parsing: uri.description) == uri)
        }
        #expect(read > 100)
    }
}
