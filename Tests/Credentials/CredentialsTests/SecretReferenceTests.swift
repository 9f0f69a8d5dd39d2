import Credentials
import Foundation
import Secrets
import TestSupport
import Testing

@Suite struct SecretReferenceTests {
    private func withFile<Result>(_ contents: [UInt8], _ body: (String) throws -> Result) throws -> Result {
        let file = TemporaryFolder.place("secret")
        try Data(contents).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }

    private func text(_ contents: String) throws -> String {
        try withFile(Array(contents.utf8)) { path in
            try SecretReference.file(path: path).load().withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        }
    }

    @Test(
        "One line ending at the end is not part of the secret",
        arguments: [
            ("words", "words"), ("words\n", "words"), ("words\r\n", "words"),
            (" spaces \n", " spaces "), ("\u{E9}\n", "\u{E9}"),
            // As Windows PowerShell writes UTF-8 (RFC 3629 section 6).
            ("\u{FEFF}words\r\n", "words"), ("\u{FEFF}w", "w"), ("w\u{FEFF}", "w\u{FEFF}"),
        ]
    )
    func firstLine(contents: String, secret: String) throws {
        #expect(try text(contents) == secret)
    }

    @Test func missingFileSaysWhich() {
        #expect(throws: SecretReferenceError.unreadable(path: "/nonexistent/secret", code: 2)) {
            try SecretReference.file(path: "/nonexistent/secret").load()
        }
    }

    @Test("The system's reason is in words (POSIX: ENOENT and EISDIR of strerror)")
    func reasonsInWords() {
        let absent = SecretReferenceError.unreadable(path: "/a", code: ENOENT)
        #expect("\(absent)" == "cannot read the secret in '/a' (No such file or directory): check path and mode")
        let folder = SecretReferenceError.unreadable(path: "/a", code: EISDIR)
        #expect("\(folder)" == "cannot read the secret in '/a' (Is a directory): check path and mode")
    }

    @Test func aFolderIsNoSecret() {
        #expect(throws: SecretReferenceError.unreadable(path: "/", code: 21)) {
            try SecretReference.file(path: "/").load()
        }
    }

    @Test("Empty, long and many-lined files are refused") func wrongFiles() throws {
        for contents in ["", "\n", "\u{FEFF}", "\u{FEFF}\r\n"] {
            _ = try withFile(Array(contents.utf8)) { path in
                let reference = SecretReference.file(path: path)
                #expect(throws: SecretReferenceError.empty(reference)) { try reference.load() }
            }
        }
        // A token of 64 KiB, with the end of its line.
        let longest = [UInt8](repeating: 97, count: 65_536)
        for ending in ["", "\n", "\r\n"] {
            try withFile(longest + Array(ending.utf8)) { path in
                let count = try SecretReference.file(path: path).load().count
                #expect(count == 65_536)
            }
        }
        _ = try withFile(longest + [97]) { path in
            #expect(throws: SecretReferenceError.tooLong(path: path)) { try SecretReference.file(path: path).load() }
        }
        // As PowerShell writes it.
        _ = try withFile([0xff, 0xfe] + "one\r\n".utf8.flatMap { [$0, 0] }) { path in
            let problem = "this is UTF-16: save it as UTF-8, as PowerShell does with 'Out-File -Encoding utf8'"
            #expect(throws: SecretReferenceError.otherForm(path: path, problem: problem)) {
                try SecretReference.file(path: path).load()
            }
        }
        _ = try withFile(Array("one\ntwo\n".utf8)) { path in
            #expect(throws: SecretReferenceError.moreThanOneLine(path: path)) {
                try SecretReference.file(path: path).load()
            }
        }
    }

    @Test func environmentVariable() throws {
        // PATH is set wherever tests run; its value is compared with what Foundation reads.
        let expected = try #require(ProcessInfo.processInfo.environment["PATH"])
        let secret = try SecretReference.environment(variable: "PATH").load()
        #expect(secret.count == expected.utf8.count)
        #expect(throws: SecretReferenceError.notSet(variable: "SALLYPORT_NO_SUCH_VARIABLE")) {
            try SecretReference.environment(variable: "SALLYPORT_NO_SUCH_VARIABLE").load()
        }
    }
}
