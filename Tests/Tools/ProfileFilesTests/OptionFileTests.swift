import Foundation
import TestSupport
import Testing

@testable import ProfileFiles

@Suite struct OptionFileTests {
    private static let options = [
        OptionFile.Option(name: "parent", kind: .text, isRepeating: true),
        OptionFile.Option(name: "identity", kind: .text, isRepeating: true),
        OptionFile.Option(name: "metrics", kind: .text, isRepeating: false),
        OptionFile.Option(name: "profile", kind: .path, isRepeating: false),
        OptionFile.Option(name: "pac", kind: .path, isRepeating: false),
        OptionFile.Option(name: "basic", kind: .flag, isRepeating: false),
        OptionFile.Option(name: "verbose", kind: .flag, isRepeating: false),
    ]

    private let folder = TemporaryFolder.place("options")

    /// Reads `yaml` from `options.yaml` in a folder of its own.
    private func read(
        _ yaml: String,
        mode: Int = 0o644,
        place: OptionFile.Place = .user
    ) throws -> [String: [String]]? {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "options.yaml").path
        try Data(yaml.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return try OptionFile.read(file, options: Self.options, place: place)?.values
    }

    @Test func valuesOfEachKind() throws {
        let values = try read(
            """
            # The office
            parent: [one.example:8080, two.example:8080]
            identity: jdoe=client:jdoe@ACME.EXAMPLE
            metrics: 127.0.0.1:9100
            basic: true
            verbose: false
            """
        )
        #expect(
            values == [
                "parent": ["one.example:8080", "two.example:8080"], "identity": ["jdoe=client:jdoe@ACME.EXAMPLE"],
                "metrics": ["127.0.0.1:9100"], "basic": [""], "verbose": [],
            ]
        )
    }

    @Test func pathsStartFromTheFolderOfTheFile() throws {
        #expect(try read("profile: acme/profile.yaml")?["profile"] == ["\(folder.path)/acme/profile.yaml"])
        #expect(try read("profile: /srv/profile.yaml")?["profile"] == ["/srv/profile.yaml"])
        #expect(try read("pac: http://wpad.example/wpad.dat")?["pac"] == ["http://wpad.example/wpad.dat"])
        for card in ["pkcs11:token=work", "PKCS11:token=work;id=%01?module-path=/m.so"] {
            #expect(try read("pac: '\(card)'")?["pac"] == [card])
        }
    }

    @Test(
        "An error has file, line, field and problem",
        arguments: [
            ("basic: true\npare: x", 2, "pare", "unknown field"),
            ("parent: a\nbasic: true\nparent: b", 3, "", "the field 'parent' occurs twice"),
            ("basic: perhaps", 1, "basic", "expected true or false"),
            ("parent: { a: b }", 1, "parent", "expected a text"), ("parent:", 1, "parent", "expected a text"),
            ("parent:\n  - a\n  - [b]", 3, "parent[1]", "expected a text"),
            ("metrics: [a, b]", 1, "metrics", "expected one text"),
            ("profile: ~/profile.yaml", 1, "profile", "'~' has no meaning here"),
            ("- parent", 1, "", "expected fields"), ("a: b: c", 1, "", "unexpected ':'"),
            ("basic: true\nparent: http://jdoe:SECRET@a.example", 2, "parent", "a name and password before '@'"),
            ("parent: [b, 'jdoe:SECRET@a.example:80']", 1, "parent[1]", "a name and password before '@'"),
            ("basic: true\nproxy-password: SECRET", 2, "proxy-password", "a secret does not stand in this file"),
        ]
    )
    func errors(yaml: String, line: Int, field: String, problem: String) throws {
        let error = try #require(throws: ProfileFileError.self) {
            // The arguments of tests are printed.
            try read(yaml.replacing("SECRET", with: "hunter2"))
        }
        #expect(error.path.hasSuffix("/options.yaml") && error.line == line, "\(error)")
        #expect((error.field ?? "") == field && error.problem.hasPrefix(problem), "\(error)")
        #expect(!"\(error)".contains("hunter2"))
    }

    @Test(
        "What everyone may write is not read, wherever it is",
        arguments: [OptionFile.Place.user, .system, .named]
    )
    func writable(place: OptionFile.Place) throws {
        let error = try #require(throws: ProfileFileError.self) { try read("basic: true", mode: 0o646, place: place) }
        #expect(error.problem.contains("chmod o-w"), "\(error)")
        // The group of a user is often his own.
        #expect(try read("basic: true", mode: 0o664, place: place) == ["basic": [""]])
    }

    @Test func aFileOfAnotherUser() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var file = "/etc/passwd"
        if geteuid() == 0 {
            file = folder.appending(path: "options.yaml").path
            try Data("basic: true".utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: file)
            #expect(try OptionFile.read(file, options: Self.options, place: .named)?.values == ["basic": [""]])
        }
        let error = try #require(throws: ProfileFileError.self) {
            try OptionFile.read(file, options: Self.options, place: .user)
        }
        #expect(error.problem.hasPrefix("it belongs to another user"), "\(error)")
    }

    @Test func aFileThatIsMissing() throws {
        let file = folder.appending(path: "options.yaml").path
        #expect(try OptionFile.read(file, options: Self.options, place: .user) == nil)
        #expect(try OptionFile.read(file, options: Self.options, place: .system) == nil)
        #expect(try OptionFile.read("/dev/null/relay.yaml", options: Self.options, place: .user) == nil)
        let error = try #require(throws: ProfileFileError.self) {
            try OptionFile.read(file, options: Self.options, place: .named)
        }
        #expect(error.problem.hasPrefix("the file does not exist"))
    }
}
