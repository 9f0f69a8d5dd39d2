import Foundation
import ProfileFiles
import Sallyport
import TestSupport
import Testing

/// The file of keys that a person has trusted.
@Suite struct TrustedKeyFileTests {
    private static func key(_ host: String, _ number: Int, until: Int64) throws -> TrustedKey {
        let digits = String(number, radix: 16)
        let pin = try Pin(parsing: String(repeating: "0", count: 64 - digits.utf8.count) + digits)
        return TrustedKey(host: try Hostname(parsing: host), pin: pin, until: until)
    }

    @Test("Keys come back until their time is over; one of the same host and key takes the place of the other")
    func keeping() throws {
        let folder = try TemporaryFolder("trusted-keys")
        let file = TrustedKeyFile(path: folder.path("trusted-keys.yaml"))
        #expect(try file.read(at: 0).isEmpty)
        let (first, second) = (try Self.key("dev.acme.example", 1, until: 100), try Self.key("[::1]", 2, until: 200))
        try file.add(second, at: 0)
        try file.add(first, at: 0)
        #expect(try file.read(at: 99) == [first, second] && file.read(at: 100) == [second])
        #expect(try file.read(at: 200).isEmpty)
        let longer = try Self.key("dev.acme.example", 1, until: 300)
        try file.add(longer, at: 99)
        #expect(try file.read(at: 99) == [second, longer])
        // What is over leaves the file.
        try file.add(first, at: 250)
        #expect(try file.read(at: 0) == [first])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // The lines are those of a profile.
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        let profile = String(text.split(separator: "\n", maxSplits: 1)[1]) + ExampleProfile.minimal
        #expect(try ExampleProfile.read(profile).trustedKeys == [first])
    }

    @Test("Beyond the bound the keys that end first are forgotten") func bound() throws {
        let folder = try TemporaryFolder("trusted-keys")
        let file = TrustedKeyFile(path: folder.path("trusted-keys.yaml"))
        let lines = try (1...TrustedKeyFile.mostKeys).map { number in
            let digits = "\(try Self.key("a.example", number, until: 0).pin)".dropFirst("sha256/".count)
            return "  - { host: a.example, sha256: \"\(digits)\", until: 2030-01-01T00:00:00Z }\n"
        }
        try folder.write("trustedKeys:\n" + lines.joined(), "trusted-keys.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let last = try Self.key("b.example", 1, until: 4_000_000_000)
        try file.add(last, at: 0)
        let keys = try file.read(at: 0)
        #expect(keys.count == TrustedKeyFile.mostKeys && keys.last == last)
    }

    @Test("A file that others may write, a wrong line and a folder that is not there are errors of one line")
    func mistakes() throws {
        let folder = try TemporaryFolder("trusted-keys")
        let file = TrustedKeyFile(path: folder.path("trusted-keys.yaml"))
        for (text, mode, problem) in [
            ("trustedKeys: []\n", 0o620, "other users may read or write it: check its lines, and then chmod 600 it"),
            ("trustedKeys:\n  - { host: a.example }\n", 0o600, "the field 'sha256' is missing: add it"),
            ("keys: []\n", 0o600, "unknown field: remove it, or choose from trustedKeys"),
            ("", 0o600, "is empty: remove it"),
        ] {
            try folder.write(text, "trusted-keys.yaml")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            let error = #expect(throws: ProfileFileError.self) { try file.read(at: 0) }
            #expect(error?.problem == problem && error?.path == file.path, "\(String(describing: error))")
        }
        let nowhere = TrustedKeyFile(path: folder.path("missing/trusted-keys.yaml"))
        let error = #expect(throws: ProfileFileError.self) {
            try nowhere.add(Self.key("a.example", 1, until: 100), at: 0)
        }
        #expect(error?.problem == "cannot write the file (No such file or directory): check the folder")
    }
}
