import Credentials
import Foundation
import Secrets
import TestLimits
import Testing

@testable import ClientCertificates

/// Files with several keys, and files without any.
@Suite(.inTurn) struct ChosenKeyTests {
    private static func read(_ text: String, choosing choice: String? = nil) throws -> KeyedIdentity {
        let bytes = Array(text.utf8)
        return try KeyedIdentity(name: "laptop", parsing: bytes.span, choosing: choice)
    }

    @Test("Of several keys in PEM the error lists the names, and each name leads to its key and certificate")
    func pem() throws {
        let workshop = try Workshop.shared
        let kinds = [Workshop.Kind.p256, .rsa, .p384]
        let text = try kinds.map { try workshop.text("\($0.rawValue).key") + workshop.text("\($0.rawValue).crt") }
            .joined()
        let names = kinds.map { "CN=\($0.rawValue),O=Example" }
        #expect(throws: IdentityError.Problem.severalKeys(names)) { try Self.read(text) }
        for (kind, name) in zip(kinds, names) {
            let found = try Self.read(text, choosing: name)
            #expect(found.key.pkcs8.copy == (try workshop.pkcs8(kind.rawValue)))
            #expect(found.identity.certificateChain == [try workshop.certificate(kind.rawValue)])
        }
        #expect(throws: IdentityError.Problem.noSuchKey("CN=root", names)) { try Self.read(text, choosing: "CN=root") }
        let description = IdentityError.Problem.severalKeys(names).description
        #expect(description.contains("--alias") && names.allSatisfy(description.contains))
    }

    @Test("A key that stands there twice is one key, and it may be chosen by name")
    func twice() throws {
        let workshop = try Workshop.shared
        let text = try workshop.text("p256.key") + workshop.text("p256.key") + workshop.text("p256.crt")
        #expect(try Self.read(text).key.pkcs8.copy == workshop.pkcs8("p256"))
        #expect(try Self.read(text, choosing: "CN=p256,O=Example").key.pkcs8.copy == workshop.pkcs8("p256"))
    }

    @Test("Each listed name is another one, and chooses its key as it is shown")
    func unlikeNames() throws {
        let workshop = try Workshop.shared
        let long = String(repeating: "n", count: 80)
        let kinds = [Workshop.Kind.p256, .rsa, .p384, .p256, .rsa]
        let names = ["a (2)", "a", "a", "M\u{FC}ller", long]
        let keys = try zip(kinds, names).map { kind, name in
            let text = Array(try workshop.text("\(kind.rawValue).key").utf8)
            var budget = WorkBudget()
            let key = try PEMKey.readAll(in: text.span, passphrase: nil, &budget)[0].key
            return NamedKey(key: key, name: name)
        }
        var listed: [String] = []
        do throws(IdentityError.Problem) { _ = try keys.chosen(nil, certificates: []) } catch {
            guard case .severalKeys(let names) = error else { throw error }
            listed = names
            // What a person copies out of the quotes.
            for shown in [#"M\u{00FC}ller"#, String(repeating: "n", count: 64) + "\u{2026}"] {
                #expect(error.description.contains("\"\(shown)\""))
                #expect(throws: Never.self) { try keys.chosen(shown, certificates: []) }
            }
        }
        #expect(listed == ["a (2)", "a", "a (3)", "M\u{FC}ller", long])
        for (index, name) in listed.enumerated() {
            #expect(try keys.chosen(name, certificates: []).publicKeyInfo == keys[index].key.publicKeyInfo)
        }
    }

    @Test(
        "Several keys in PKCS#12 have the aliases that Java gave them",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/keytool"), "needs a Java runtime")
    )
    func pkcs12() throws {
        let workshop = try Workshop.shared
        let store = "store-\(UUID()).p12"
        for kind in [Workshop.Kind.p256, .rsa] {
            let file = "one-\(UUID()).p12"
            let name = kind == .rsa ? "at work" : "at home"
            try Data(workshop.pkcs12(kind, ["-name", name])).write(to: workshop.folder.appending(path: file))
            try OpenSSL.run(
                [
                    "-importkeystore", "-noprompt", "-srckeystore", file, "-srcstoretype", "pkcs12", "-srcstorepass",
                    "secret",
                    "-destkeystore", store, "-deststoretype", "pkcs12", "-deststorepass", "secret",
                ],
                in: workshop.folder,
                program: "keytool"
            )
        }
        let bytes = [UInt8](try Data(contentsOf: workshop.folder.appending(path: store)))
        func read(_ choice: String?) throws -> KeyedIdentity {
            try KeyedIdentity(
                name: "laptop",
                parsing: bytes.span,
                passphrase: SharedSecret(utf8: "secret"),
                choosing: choice
            )
        }
        do throws(any Error) {
            _ = try read(nil)
            Issue.record("one of two keys was taken")
        } catch IdentityError.Problem.severalKeys(let names) {
            #expect(Set(names) == ["at home", "at work"])
        }
        #expect(try read("at home").key.pkcs8.copy == workshop.pkcs8("p256"))
        #expect(try read("at work").key.pkcs8.copy == workshop.pkcs8("rsa"))
    }

    @Test("PKCS#7 is named with its remedy, in the file where it lies", arguments: ["PEM", "DER"])
    func certificatesOnly(form: String) throws {
        let workshop = try Workshop.shared
        let bag = "\(UUID()).p7b"
        try OpenSSL.run(
            ["crl2pkcs7", "-nocrl", "-certfile", "p256.crt", "-outform", form, "-out", bag],
            in: workshop.folder
        )
        let certificates = workshop.folder.appending(path: bag).path
        let key = workshop.folder.appending(path: "p256.key").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let expected = IdentityError(place: certificates, problem: .certificatesOnly)
        #expect(throws: expected) {
            try KeyedIdentity(name: "laptop", reading: .pair(certificates: certificates, key: key))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: certificates)
        #expect(throws: expected) { try KeyedIdentity(name: "laptop", reading: .one(certificates)) }
        #expect(throws: IdentityError(place: key, problem: .noCertificate)) {
            try KeyedIdentity(name: "laptop", reading: .pair(certificates: key, key: key))
        }
    }

    @Test("Certificates of OpenSSL's own form, and of the old label") func labels() throws {
        let workshop = try Workshop.shared
        let trusted = try OpenSSL.run(
            ["x509", "-in", "p256.crt", "-trustout", "-addtrust", "clientAuth"],
            in: workshop.folder
        )
        let old = try workshop.text("p256.crt").replacing("CERTIFICATE", with: "X509 CERTIFICATE")
        for certificate in [String(decoding: trusted, as: UTF8.self), old] {
            #expect(!certificate.contains("BEGIN CERTIFICATE"))
            let found = try Self.read(certificate + workshop.text("p256.key"))
            #expect(found.identity.certificateChain == [try workshop.certificate("p256")])
        }
    }
}
