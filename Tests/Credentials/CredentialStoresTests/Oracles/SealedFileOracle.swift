import Foundation
import TestSupport
import Testing

/// Reads sealed files with another implementation of every algorithm, by the published layout.
enum SealedFileOracle {
    static let isMissing: Comment = "PyPI package cryptography is missing: pip install -r .ci/python-packages"

    static let isHere: Bool = {
        let check = "from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV; AESGCMSIV(bytes(32))"
        return (try? output(["-c", check])) != nil
    }()

    struct Contents: Decodable {
        let write: Int
        let records: [Record]
    }

    struct Record: Decodable, Hashable {
        var party = 0
        var reach = 0
        var port = 443
        var scheme = "https"
        var host: String
        var realm: String?
        var path: String?
        var user = "jdoe"
        var domain: String?
        var kind = "password"
        var secret: String
        var created = 1_900_000_000
        var expires: Int?
    }

    static func read(_ store: URL, kind: String, secret: URL) throws -> Contents {
        let script = HelperFile.url("sealed_file_oracle.py")
        return try JSONDecoder().decode(Contents.self, from: output([script.path, store.path, kind, secret.path]))
    }

    private static func output(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Absent() }
        return data
    }
}
