import ClientAuthentication
import Foundation
import NTLM
import Secrets
import TestLimits
import TestSupport
import Testing

@testable import ClientDirectories

/// Files of accounts.
@Suite(.inTurn) struct AccountsFileTests {
    /// H(A1) of the example in RFC 2617 section 3.5, for the realm testrealm@host.com.
    private static let mufasa = "Mufasa:testrealm@host.com:939e7578ed9e3c518a452acee763bce9"
    private static let bcrypt = "ada:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("accounts") }

    private func write(_ text: String) throws -> String {
        let path = try folder.write(text, "clients")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    private func file(_ text: String) throws -> AccountsFile { try AccountsFile(write(text)) }

    @Test("Each line says its form, and all of them take the right password")
    func forms() async throws {
        let hash = "a4f49c406510bdcab6824ee7c30fd852"  // of "Password", MS-NLMP 4.2.2.1.2
        let file = try file(
            """
            # accounts
            jdoe:{PLAIN}pass:word

            ACME\\bob:{NT}\(hash)\r
            \(Self.bcrypt)
            \(Self.mufasa)
            """
        )
        for (name, password) in [
            ("jdoe", "pass:word"), ("JDOE", "pass:word"), ("acme\\Bob", "Password"), ("ada", "myPassword"),
            ("Mufasa", "Circle Of Life"),
        ] {
            let name = ClientName(name)
            #expect(try await file.accepts(SharedSecret(utf8: password), of: name), "\(name)")
            #expect(try await !file.accepts(SharedSecret(utf8: password + "x"), of: name))
        }
        #expect(try await !file.accepts(SharedSecret(utf8: "pass:word"), of: ClientName("nobody")))
        #expect(try await file.secret(of: ClientName("ada")) == nil)
        #expect(try await file.secret(of: ClientName("jdoe")) != nil)
        #expect(file.schemes == [.basic] && file.realm == "testrealm@host.com")
    }

    @Test("A name is the file's own, however a client spells it")
    func spelling() throws {
        let file = try file("Jdoe:{PLAIN}x\nACME\\Bob:{PLAIN}y\n")
        #expect(file.canonical(ClientName("JDOE")) == ClientName("Jdoe"))
        #expect(file.canonical(ClientName("acme\\bob")) == ClientName(user: "Bob", domain: "ACME"))
        #expect(file.canonical(ClientName("acme\\JDOE")) == ClientName("acme\\JDOE"))
    }

    @Test("A client that leaves before the verdict leaves nothing behind by which the next one could know it")
    func leaving() async throws {
        let file = try file("ada:$2b$10$c4WoMPo3SXsafkva.HHa6uDhdv6UEz2.PcUskIBvNy2QwOjlNmF1W\n")
        let (ada, right) = (ClientName("ada"), SharedSecret(utf8: "myPassword"))
        /// What the file says, on a busy machine after some tries.
        func verdict(_ password: SharedSecret) async throws -> Bool {
            try await awaited("a verdict") { try? await file.accepts(password, of: ada) }
        }
        for milliseconds in [0, 2, 5, 10, 15] {
            let asking = Task { try await file.accepts(right, of: ada) }
            // Most of these are in the middle of the hash, which takes 40 ms or more.
            try await Task.sleep(for: .milliseconds(milliseconds))
            asking.cancel()
            guard (try? await asking.value) == nil else { return }
        }
        // All threads have ended those before.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { try await verdict(SharedSecret(utf8: "Wrong")) } }
            for try await isRight in group { #expect(!isRight) }
        }
        #expect(file.accepted.count == 0)
        #expect(try await verdict(right))
        #expect(file.accepted.count == 1)
    }

    @Test(
        "What is offered is what all accounts can use",
        arguments: [
            ("a:{PLAIN}x", [ClientScheme.digestSHA256, .digestMD5, .ntlm, .basic]),
            ("a:{PLAIN}x\nb:{NT}a4f49c406510bdcab6824ee7c30fd852", [.ntlm, .basic]),
            (mufasa, [.digestMD5, .basic]), ("a:{PLAIN}x\n" + mufasa, [.digestMD5, .basic]), (bcrypt, [.basic]),
            ("b:{NT}a4f49c406510bdcab6824ee7c30fd852\n" + mufasa, [.basic]),
        ]
    )
    func schemes(text: String, expected: [ClientScheme]) throws { #expect(try file(text).schemes == expected) }

    @Test(
        "A file that cannot be used is one error with its line, and without text of the file",
        arguments: [
            ("", "it has no account"), ("a:{PLAIN}x\nsecret", ":2: this is no account"),
            (":{PLAIN}x", ":1: this is no account"),
            ("a:{PLAIN}", ":1: the password is empty"), ("a:{NT}secret", ":1: unknown form"),
            ("a:secret", ":1: unknown form"),
            ("a:rqXexS6ZhobKA", ":1: crypt's DES form"), ("a:r:939e7578ed9e3c518a452acee763bceg", ":1: unknown form"),
            ("a:{PLAIN}x\nA:{PLAIN}secret", ":2: the account is there twice"),
            ("\(mufasa)\nb:other:939e7578ed9e3c518a452acee763bce9", ":2: another realm"),
            ("a:quo\"te:939e7578ed9e3c518a452acee763bce9", ":1: no client can be asked for this realm"),
            ("a::939e7578ed9e3c518a452acee763bce9", ":1: no client can be asked for this realm"),
            ("PK\u{03}\u{04}x", "unpack it first, with unzip"),
        ]
    )
    func problems(text: String, expected: String) throws {
        let path = try write(text)
        do {
            _ = try AccountsFile(path)
            Issue.record("it is read")
        } catch {
            #expect("\(error)".hasPrefix(path) && "\(error)".contains(expected), "\(error)")
            #expect(!"\(error)".dropFirst(path.count).contains("secret") && !"\(error)".contains("\n"))
        }
    }

    @Test("A file that is read again forgets the passwords of changed lines; one that cannot be read changes nothing")
    func reload() async throws {
        let file = try file(Self.bcrypt + "\n" + Self.mufasa)
        let (ada, mufasa) = (ClientName("ada"), ClientName("Mufasa"))
        let (first, second) = (SharedSecret(utf8: "myPassword"), SharedSecret(utf8: "Hello world!"))
        for _ in 0..<2 { #expect(try await file.accepts(first, of: ada)) }
        _ = try write("ada:secret")
        #expect(throws: AccountsFileError.self) { try file.reload() }
        _ = try write("ada:other:939e7578ed9e3c518a452acee763bce9")
        #expect(throws: AccountsFileError.self) { try file.reload() }
        #expect(try await file.accepts(first, of: ada))
        // Of "Hello world!". The line of htdigest is gone, and so is its account.
        _ = try write("ada:$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5")
        try file.reload()
        #expect(try await !file.accepts(first, of: ada))
        #expect(try await file.accepts(second, of: ada))
        #expect(try await !file.accepts(SharedSecret(utf8: "Circle Of Life"), of: mufasa))
    }

    @Test("A file that is read again, and has accounts that cannot use what is offered, changes nothing")
    func lostSchemes() async throws {
        let file = try file("ada:{PLAIN}first")
        _ = try write(Self.bcrypt)
        #expect(throws: AccountsFileError.self) { try file.reload() }
        #expect(try await file.accepts(SharedSecret(utf8: "first"), of: ClientName("ada")))
        _ = try write("ada:{PLAIN}second")
        try file.reload()
        #expect(try await file.accepts(SharedSecret(utf8: "second"), of: ClientName("ada")))
    }

    @Test("Right and wrong passwords of many clients at once")
    func parallel() async throws {
        let file = try file(Self.bcrypt)
        let results = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let password = SharedSecret(utf8: index.isMultiple(of: 2) ? "myPassword" : "wrong\(index)")
                    return try await file.accepts(password, of: ClientName("ada")) == index.isMultiple(of: 2)
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.count == 64 && results.allSatisfy { $0 })
    }
}
