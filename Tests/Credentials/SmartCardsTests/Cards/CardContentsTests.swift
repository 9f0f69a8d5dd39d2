import Credentials
import Foundation
import LiveServers
import SmartCards
import Testing

/// What is on a card, and what is missing there.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct CardContentsTests {
    @Test("No card, several cards, and those that a URI names")
    func cards() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.initialize("other")
                #expect(try await cards.problem("pkcs11:token=gone") == .noCard)
                #expect(try await cards.problem("pkcs11:token=wor") == .noCard)
                #expect(try await cards.problem("pkcs11:token=work;model=x") == .noCard)
                #expect(try await cards.problem("pkcs11:") == .severalCards(2))
                let listed = try await SmartCard.cards(ofModule: SoftCards.module, within: .seconds(600))
                #expect(Set(listed.map(\.label)) == ["work", "other"])
                for info in listed {
                    let card = try await cards.open("pkcs11:serial=\(info.serial);manufacturer=SoftHSM%20project")
                    #expect(card.info == info)
                }
            }
        }
    }

    @Test("A key without certificate, a certificate without key, and an empty card")
    func halves() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                func problem(_ uri: String) async throws -> SmartCardError.Problem? {
                    do {
                        _ = try await cards.open(uri).identity(named: "x")
                        return nil
                    } catch let error as SmartCardError {
                        return error.problem
                    }
                }
                #expect(try await problem("pkcs11:token=work") == .noIdentity)
                try cards.makeIssuer()
                try cards.makeCertificate(.p256, name: "one", subject: "/CN=one")
                try cards.makeCertificate(.p256, name: "two", subject: "/CN=two")
                try cards.putKey("one", id: "01", label: "one")
                #expect(try await problem("pkcs11:token=work") == .keyWithoutCertificate)
                try cards.putCertificate("two", id: "02", label: "two")
                #expect(try await problem("pkcs11:token=work;object=two") == .certificateWithoutKey)
                #expect(try await problem("pkcs11:token=work;id=%02") == .certificateWithoutKey)
                #expect(try await problem("pkcs11:token=work;id=%03") == .noIdentity)
                // A certificate with the identifier of the key, and another public key: the signature does not prove it.
                try cards.putCertificate("two", id: "01", label: "wrong")
                #expect(try await problem("pkcs11:token=work;id=%01") == .keyWithoutCertificate)
                // Beside it the right one.
                try cards.putCertificate("one", id: "01", label: "one")
                #expect(try await problem("pkcs11:token=work;id=%01") == nil)
                let contents = try await cards.open().contents()
                #expect(contents.identities.map(\.identity.certificateChain) == [[try cards.bytes("one.der")]])
            }
        }
    }

    @Test("A URI chooses among keys by identifier and by the label of key or certificate")
    func choice() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                try cards.makeCertificate(.p384, name: "second", subject: "/CN=second")
                try cards.putKey("second", id: "02", label: "key 2")
                try cards.putCertificate("second", id: "02", label: "certificate 2")
                let second = try cards.bytes("second.der")
                for choice in ["id=%02", "object=key%202", "object=certificate%202", "id=%02;object=key%202"] {
                    let identity = try await cards.open("pkcs11:token=work;\(choice)").identity(named: "laptop")
                    #expect(identity.identity.certificateChain.first == second, "\(choice)")
                    #expect("\(identity)" == "identity 'laptop'")
                    #expect(identity.notAfter - identity.notBefore == 20 * 86_400)
                }
                await #expect {
                    _ = try await cards.open().identity(named: "laptop")
                } throws: { error in
                    guard case .severalIdentities(let objects)? = (error as? SmartCardError)?.problem else {
                        return false
                    }
                    return objects.sorted() == ["key 2", "laptop 7"]
                }
            }
        }
    }

    @Test("Keys that are not supported are named")
    func unsupported() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.makeIssuer()
                try cards.run(
                    "openssl",
                    "req",
                    "-x509",
                    "-newkey",
                    "rsa:1024",
                    "-nodes",
                    "-keyout",
                    "weak.key",
                    "-subj",
                    "/CN=weak",
                    "-out",
                    "weak.crt"
                )
                try cards.putKey("weak", id: "01", label: "weak")
                try cards.putCertificate("weak", id: "01", label: "weak")
                try cards.run(
                    "pkcs11-tool",
                    "--module",
                    SoftCards.module,
                    "--token-label",
                    "work",
                    "--login",
                    "--pin",
                    SoftCards.pin,
                    "--keypairgen",
                    "--key-type",
                    "EC:prime256v1",
                    "--id",
                    "02",
                    "--label",
                    "careful",
                    "--always-auth"
                )
                try cards.makeCertificate(.p256, name: "one", subject: "/CN=one")
                try cards.putCertificate("one", id: "02", label: "careful")
                let contents = try await cards.open().contents()
                #expect(contents.identities.isEmpty)
                let problems = contents.unusable.sorted { $0.place < $1.place }
                // The key signs only with the PIN again, and its signature shows that the certificate is another key's.
                #expect(problems.map(\.problem) == [.keyWithoutCertificate, .unsupportedKey])
                #expect(problems.map(\.place) == ["pkcs11:token=work: careful", "pkcs11:token=work: weak"])
            }
        }
    }
}
