import Foundation
import LiveServers
import TestSupport
import Testing

@Suite(.inTurn, .serialized) struct RecordCommandTests {
    /// A folder that is gone when the test is over.
    private final class Folder {
        let url = TemporaryFolder.place("record")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appending(path: name).path }

        func lines(_ name: String) throws -> [[String: Any]] {
            try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n").map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
            }
        }
    }

    private static let openssl = "/usr/bin/openssl"

    private static func started(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: openssl)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(
        "A server of OpenSSL's, recorded twice",
        .enabled(if: FileManager.default.isExecutableFile(atPath: openssl), "needs openssl: .ci/install brings it")
    )
    func appends() throws {
        let folder = try Folder()
        let make = try Self.started([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            folder.path("key.pem"), "-out", folder.path("leaf.pem"), "-subj", "/CN=site.example", "-addext",
            "subjectAltName=DNS:site.example", "-days", "5",
        ])
        make.waitUntilExit()
        let port = try Int(ServerPort.take())
        let server = try HelperProcess(
            silent: [
                Self.openssl,
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", folder.path("leaf.pem"), "-key",
                folder.path("key.pem"), "-www", "-quiet",
            ],
            port: port
        )
        defer { withExtendedLifetime(server) {} }
        let arguments = [
            "record", "site.example:\(port)", "--resolve", "site.example:\(port):127.0.0.1", "--roots",
            folder.path("leaf.pem"), "--out", folder.path("out"), "--timeout", "600", "--json",
        ]
        let run = try SallyportRun(arguments)
        #expect(run.status == 0, "\(run.error)")
        #expect(try run.json()["presented"] as? Int == 1)
        #expect(try run.json()["validated"] as? Int == 1)
        #expect(try SallyportRun(arguments).status == 0)
        let observations = try folder.lines("out/observations.ndjson")
        #expect(observations.count == 2)
        #expect(observations.allSatisfy { $0["host"] as? String == "site.example" && $0["port"] as? Int == port })
        #expect(observations.allSatisfy { $0["chain"] as? [String] == $0["presented"] as? [String] })
        #expect(try folder.lines("out/certificates.ndjson").count == 1)
    }

    @Test(
        "Keys of every type that OpenSSL serves: recorded if the TLS library knows it, and otherwise named, without its internals",
        .enabled(if: FileManager.default.isExecutableFile(atPath: openssl), "needs openssl: .ci/install brings it"),
        arguments: [
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], "-tls1_3", true),
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], "-tls1_3", true),
            (["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], "-tls1_2", true), (["ed25519"], "-tls1_3", true),
            (["ed25519"], "-tls1_2", true),
            (["rsa:2048"], "-tls1_2", true), (["rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048"], "-tls1_3", false),
            (["ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"], "-tls1_2", false), (["ed448"], "-tls1_3", false),
            (["ed448"], "-tls1_2", false),
        ] as [([String], String, Bool)]
    )
    func keyTypes(newKey: [String], version: String, isKnown: Bool) throws {
        let folder = try Folder()
        let make = try Self.started(
            ["req", "-x509", "-newkey"] + newKey + [
                "-nodes", "-keyout", folder.path("key.pem"), "-out", folder.path("leaf.pem"), "-subj",
                "/CN=site.example",
                "-addext", "subjectAltName=DNS:site.example", "-days", "5",
            ]
        )
        make.waitUntilExit()
        try #require(make.terminationStatus == 0)
        let port = try Int(ServerPort.take())
        // It says ACCEPT when it listens.
        let server = try HelperProcess([
            "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", folder.path("leaf.pem"), "-key",
            folder.path("key.pem"), version,
        ])
        while try server.readLine() != "ACCEPT" {}
        let run = try SallyportRun([
            "record", "site.example:\(port)", "--resolve", "site.example:\(port):127.0.0.1", "--roots",
            folder.path("leaf.pem"), "--out", folder.path("out"), "--timeout", "600", "--json",
        ])
        #expect(run.status == (isKnown ? 0 : 1), "\(run.error)")
        if isKnown {
            #expect(try run.json()["presented"] as? Int == 1)
        } else {
            #expect(run.error.contains("not recorded: key type"), "\(run.error)")
            #expect(run.error.split(separator: "\n").count == 1)
        }
        for text in [run.output, run.error] {
            for internals in ["NIOSSL", "BoringSSL", "OPENSSL", "Error(", "sslError", ".cc:", ".swift:", "/ssl/"] {
                #expect(!text.contains(internals), "\(text)")
            }
        }
        withExtendedLifetime(server) {}
    }

    @Test(
        "An address of IPv6 stands in brackets before its port, also in --resolve",
        arguments: ["127.0.0.1", "[::1]"]
    )
    func unreachableHostIsANo(host: String) throws {
        let folder = try Folder()
        let port = try ServerPort.take()
        let server = "\(host):\(port)"
        let run = try SallyportRun([
            "record", server, "--out", folder.path("out"), "--timeout", "600", "--resolve",
            "[2001:db8::1]:\(port):127.0.0.1",
        ])
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.error.hasPrefix("sallyport record: \(server): no connection: "))
        #expect(run.error.split(separator: "\n").count == 1)
    }

    @Test(
        "What cannot be run ends with 2 and one line",
        arguments: [
            ["a b"], ["a.example", "a.example"], ["a.example", "--resolve", "x"], ["a.example", "--timeout", "0"],
            ["a.example", "--roots", "/nowhere"], [],
        ]
    )
    func usage(arguments: [String]) throws {
        let folder = try Folder()
        let run = try SallyportRun(["record"] + arguments + ["--out", folder.path("out")])
        #expect(run.status == 2)
        #expect(run.error.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }

    @Test func aSecondRecorderAtTheSameTimeIsTurnedAway() throws {
        let folder = try Folder()
        let first = try Self.lockHolder(folder.path("observations.ndjson"))
        defer { try? first.close() }
        let run = try SallyportRun(["record", "127.0.0.1:9", "--out", folder.url.path])
        #expect(run.status == 2)
        #expect(run.error.contains("another recorder is writing here"))
    }

    private static func lockHolder(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try #require(flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
        return file
    }
}
