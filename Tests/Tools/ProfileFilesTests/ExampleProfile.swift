import Foundation
import Sallyport
import TestSupport

@testable import ProfileFiles

/// A small profile that tests change, and how they read it.
enum ExampleProfile {
    /// One account and one pin.
    static let minimal = """
        version: 1
        sites:
          - "*.acme.example"
        schemes: [ntlm, basic]
        accounts:
          - name: jdoe
            user: jdoe
            domain: ACME
            password: { file: secret }
            sites: ["*.acme.example"]
        pins:
          - host: login.acme.example
            pins: [{ sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8=", position: leaf }]
            backups: [{ sha256: "OAOs83VDVIaXgiAZaucBZVZOmkrUnBgCYBuwTWNZAT8=" }]
            expires: 2036-01-01T00:00:00Z
        """

    /// A key that is trusted without an authority; goes before ``minimal``.
    static let trusted = """
        trustedKeys:
          - host: Dev.acme.example
            sha256: "lar8ZDFvf8PHGLbVhe+rW9NsqGQByGGwZjl0DBjWNB8="
            until: 2036-01-01T00:00:00Z

        """

    /// Reads a profile beside a file `secret`.
    static func read(_ yaml: String) throws -> SecurityProfile {
        let folder = TemporaryFolder.place("profile")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Correct-Horse\n".utf8).write(to: folder.appending(path: "secret"))
        let file = folder.appending(path: "profile.yaml")
        try Data(yaml.utf8).write(to: file)
        return try ProfileReader.read(file)
    }

    /// Reads a profile beside `files`, each with its mode.
    static func compile(
        _ yaml: String,
        _ files: [(name: String, contents: [UInt8], mode: Int)]
    ) throws -> (compiled: CompiledProfile, warnings: [ProfileFileError]) {
        let folder = TemporaryFolder.place("profile")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files {
            let path = folder.appending(path: file.name)
            try Data(file.contents).write(to: path)
            try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: path.path)
        }
        let file = folder.appending(path: "profile.yaml")
        try Data(yaml.utf8).write(to: file)
        var warnings: [ProfileFileError] = []
        let compiled = try ProfileReader.compile(file, at: 0) { warnings.append($0) }
        return (compiled, warnings)
    }
}
