import Credentials
import Foundation
import LiveServers
import SmartCards
import Testing

/// What is on a token, and what is missing there.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct TokenContentsTests {
    @Test("No token, several tokens, and those that a URI names")
    func tokens() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.initialize("other")
                #expect(try await tokens.problem("pkcs11:token=gone") == .noToken)
                #expect(try await tokens.problem("pkcs11:token=wor") == .noToken)
                #expect(try await tokens.problem("pkcs11:token=work;model=x") == .noToken)
                #expect(try await tokens.problem("pkcs11:") == .severalTokens(2))
                let listed = try await Token.tokens(ofModule: SoftTokens.module, within: .seconds(600))
                #expect(Set(listed.map(\.label)) == ["work", "other"])
                for info in listed {
                    let token = try await tokens.open("pkcs11:serial=\(info.serial);manufacturer=SoftHSM%20project")
                    #expect(token.info == info)
                }
            }
        }
    }

    @Test("A key without certificate, a certificate without key, and an empty token")
    func halves() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                func problem(_ uri: String) async throws -> TokenError.Problem? {
                    do {
                        _ = try await tokens.open(uri).identity(named: "x")
                        return nil
                    } catch let error as TokenError {
                        return error.problem
                    }
                }
                #expect(try await problem("pkcs11:token=work") == .noIdentity)
                try tokens.makeIssuer()
                try tokens.makeCertificate(.p256, name: "one", subject: "/CN=one")
                try tokens.makeCertificate(.p256, name: "two", subject: "/CN=two")
                try tokens.putKey("one", id: "01", label: "one")
                #expect(try await problem("pkcs11:token=work") == .keyWithoutCertificate)
                try tokens.putCertificate("two", id: "02", label: "two")
                #expect(try await problem("pkcs11:token=work;object=two") == .certificateWithoutKey)
                #expect(try await problem("pkcs11:token=work;id=%02") == .certificateWithoutKey)
                #expect(try await problem("pkcs11:token=work;id=%03") == .noIdentity)
                // A certificate with the identifier of the key, and another public key: the signature does not prove it.
                try tokens.putCertificate("two", id: "01", label: "wrong")
                #expect(try await problem("pkcs11:token=work;id=%01") == .keyWithoutCertificate)
                // Beside it the right one.
                try tokens.putCertificate("one", id: "01", label: "one")
                #expect(try await problem("pkcs11:token=work;id=%01") == nil)
                let contents = try await tokens.open().contents()
                #expect(contents.identities.map(\.identity.certificateChain) == [[try tokens.bytes("one.der")]])
            }
        }
    }

    @Test("A URI chooses among keys by identifier and by the label of key or certificate")
    func choice() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.provision(.p256)
                try tokens.makeCertificate(.p384, name: "second", subject: "/CN=second")
                try tokens.putKey("second", id: "02", label: "key 2")
                try tokens.putCertificate("second", id: "02", label: "certificate 2")
                let second = try tokens.bytes("second.der")
                for choice in ["id=%02", "object=key%202", "object=certificate%202", "id=%02;object=key%202"] {
                    let identity = try await tokens.open("pkcs11:token=work;\(choice)").identity(named: "laptop")
                    #expect(identity.identity.certificateChain.first == second, "\(choice)")
                    #expect("\(identity)" == "identity 'laptop'")
                    #expect(identity.notAfter - identity.notBefore == 20 * 86_400)
                }
                await #expect {
                    _ = try await tokens.open().identity(named: "laptop")
                } throws: { error in
                    guard case .severalIdentities(let objects)? = (error as? TokenError)?.problem else { return false }
                    return objects.sorted() == ["key 2", "laptop 7"]
                }
            }
        }
    }

    @Test("Keys that are not supported are named")
    func unsupported() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.makeIssuer()
                try tokens.run(
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
                try tokens.putKey("weak", id: "01", label: "weak")
                try tokens.putCertificate("weak", id: "01", label: "weak")
                try tokens.run(
                    "pkcs11-tool",
                    "--module",
                    SoftTokens.module,
                    "--token-label",
                    "work",
                    "--login",
                    "--pin",
                    SoftTokens.pin,
                    "--keypairgen",
                    "--key-type",
                    "EC:prime256v1",
                    "--id",
                    "02",
                    "--label",
                    "careful",
                    "--always-auth"
                )
                try tokens.makeCertificate(.p256, name: "one", subject: "/CN=one")
                try tokens.putCertificate("one", id: "02", label: "careful")
                let contents = try await tokens.open().contents()
                #expect(contents.identities.isEmpty)
                let problems = contents.unusable.sorted { $0.place < $1.place }
                #expect(problems.map(\.problem) == [.alwaysAuthenticates, .unsupportedKey])
                #expect(problems.map(\.place) == ["pkcs11:token=work: careful", "pkcs11:token=work: weak"])
            }
        }
    }
}
