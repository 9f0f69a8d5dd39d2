import Foundation
import LiveServers
import Secrets
import TestSupport
import Testing

@testable import ClientDirectories

/// Hashes of passwords as other programs write them.
@Suite struct PasswordHashTests {
    private static func hash(_ text: String) throws -> PasswordHash {
        try #require(PasswordHash(Array(text.utf8)[...]))
    }

    @Test(
        "The examples of Apache's documents, and hashes of OpenSSL",
        arguments: [
            // "Password Formats" of Apache's documentation.
            ("myPassword", "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC"),
            ("myPassword", "$apr1$r31.....$HqJZimcKQFAMYayBlzkrA/"),
            ("myPassword", "$apr1$qHDFfhPC$nITSVHgYbDAK1Y0acGRnY0"),
            ("myPassword", "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE="),
            // What OpenSSL prints for `passwd -5` and `-6`.
            ("Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
            (
                "Hello world!",
                "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
            ),
        ]
    )
    func examples(password: String, text: String) throws {
        let hash = try Self.hash(text)
        #expect(try hash.accepts(SharedSecret(utf8: password)))
        for wrong in [password + "!", String(password.dropLast()), password.lowercased() + " ", ""] {
            #expect(try !hash.accepts(SharedSecret(utf8: wrong)))
        }
        // Not a password that ends at a zero for the one and not for the other.
        #expect(try !hash.accepts(SharedSecret(utf8: password + "\0x")))
    }

    @Test(
        "Text that is no hash, or a weak one, is not taken",
        arguments: [
            "", "x", "$", "$1", "$apr1$", "$apr1$salt", "$apr1$saltsalts$HqJZimcKQFAMYayBlzkrA/", "$apr1$a$b$c",
            "$apr1$r31.....$HqJZimcKQFAMYayBlzkrA", "{SHA}", "{SHA}VBPuJHI7uixaa6LQGWx4s+5GKN==", "{SHA}*",
            "rqXexS6ZhobKA", "$9$a$b", "$2y$15$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC",
            "$2y$03$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC", "$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7ob",
            "$5$rounds=1000001$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc",
            "$y$jzT$salt$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5", "$2y$05$c4Wo MPo3", "$2y$05$\u{7F}",
            "$2y$" + String(repeating: "a", count: 400),
        ]
    )
    func refused(text: String) { #expect(PasswordHash(Array(text.utf8)[...]) == nil) }
}

/// The same beside the programs that make them.
@Suite(.inTurn, .needs(.openssl, .apache)) struct PasswordHashAgreementTests {
    private static func run(_ arguments: [String], input: String = "") throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        let (output, source) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = source
        process.standardError = FileHandle.nullDevice
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try source.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("apr1 of OpenSSL, for each length of a password up to 80 bytes and each length of a salt", arguments: 1...8)
    func openssl(saltCount: Int) throws {
        let salt = String("x./9AzZ0".prefix(saltCount))
        var generator = SeededGenerator(seed: UInt64(saltCount))
        let passwords = (1...80).map { count in
            String((0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x21...0x7E, using: &generator))) })
        }
        let lines = try Self.run(
            ["openssl", "passwd", "-apr1", "-salt", salt, "-stdin"],
            input: passwords.joined(separator: "\n") + "\n"
        )
        #expect(lines.count == passwords.count)
        for (password, line) in zip(passwords, lines) {
            let hash = try #require(PasswordHash(Array(line.utf8)[...]))
            #expect(try hash.accepts(SharedSecret(utf8: password)), "\(password) \(line)")
            #expect(try !hash.accepts(SharedSecret(utf8: password + "x")))
        }
    }

    @Test("Each form of htpasswd", arguments: ["-m", "-B", "-s", "-2", "-5"])
    func htpasswd(form: String) throws {
        for password in ["Correct-Horse", "x", "wörter und straße", String(repeating: "a", count: 72)] {
            let line = try #require(try Self.run(["htpasswd", "-n", "-i", form, "jdoe"], input: password).first)
            let value = try #require(line.split(separator: ":", maxSplits: 1).last)
            let hash = try #require(PasswordHash(Array(value.utf8)[...]))
            #expect(try hash.accepts(SharedSecret(utf8: password)), "\(line)")
            #expect(try !hash.accepts(SharedSecret(utf8: "y" + password.dropFirst())))
        }
    }

    @Test("Each form of the system's crypt, made through Python")
    func crypt() throws {
        let script = "import crypt, sys\nfor setting in sys.argv[1:]: print(crypt.crypt('Correct-Horse', setting))"
        let settings = [
            "$y$j9T$abcdefgh", "$1$abcdefgh", "$2a$04$abcdefghijklmnopqrstuu", "$2b$04$abcdefghijklmnopqrstuu",
            "$5$rounds=5000$abc", "$6$abc",
        ]
        let lines = try Self.run(["/usr/bin/python3", "-W", "ignore", "-c", script] + settings)
        #expect(lines.count == settings.count)
        for (setting, line) in zip(settings, lines) {
            let hash = try #require(PasswordHash(Array(line.utf8)[...]), "\(setting): \(line)")
            #expect(try hash.accepts(SharedSecret(utf8: "Correct-Horse")), "\(line)")
            #expect(try !hash.accepts(SharedSecret(utf8: "correct-horse")))
        }
    }
}
