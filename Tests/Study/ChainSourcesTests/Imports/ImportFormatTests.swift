import Corpora
import Foundation
import TestLimits
import TestSupport
import Testing

@testable import ChainSources

@Suite struct ImportFormatTests {
    static func imported(
        _ format: ImportFormat,
        _ path: String,
        _ options: ImportOptions = ImportOptions()
    ) throws -> (chains: [ImportedChain], left: ImportLosses) {
        var chains: [ImportedChain] = []
        let left = try format.forEachChain(in: path, options) { chains.append($0) }
        return (chains, left)
    }

    let made: MadeChains

    init() throws { made = try MadeChains() }

    // MARK: - PEM

    @Test func aFolderOfChains() throws {
        let folder = try TemporaryFolder("sources")
        let presented = Array(made.chain.prefix(2))
        try folder.write("a comment\n" + MadeChains.pem(presented), "B.example_8443.pem")
        try folder.write(MadeChains.pem([made.chain[0]]), "a.example.crt")
        try folder.write("not looked at", "README")
        let chains = try Self.imported(.pem, folder.url.path, ImportOptions(time: 7)).chains
        #expect(chains.map(\.endpoint.description) == ["b.example:8443", "a.example"])
        #expect(chains.map(\.presented) == [presented, [made.chain[0]]])
        #expect(chains.map(\.time) == [7, 7])
        // Without a time, the file's own.
        let now = Int64(Date().timeIntervalSince1970)
        #expect(try Self.imported(.pem, folder.url.path).chains.allSatisfy { abs($0.time - now) < 600 })
    }

    @Test func badFilesAreErrorsOfOneLine() throws {
        let folder = try TemporaryFolder("sources")
        let cut = MadeChains.pem([made.chain[0]]).prefix(200)
        let cases: [(ImportFormat, String)] = [
            (.pem, try folder.write(String(cut), "a.example.pem")), (.pem, try folder.write("", "b.example.pem")),
            (.pem, try folder.write(MadeChains.pem([made.chain[0]]), "not a host.pem")),
            (.pem, folder.url.appending(path: "absent").path), (.limbo, try folder.write("{}", "limbo.json")),
            (.pem, try folder.write("-----BEGIN CERTIFICATE-----\nAA*A\n-----END CERTIFICATE-----\n", "c.example.pem")),
            (.openssl, try folder.write("Certificate chain\n" + cut + "\n---\n", "a.example.txt")),
            (.limbo, try folder.write(String(try limbo("good::one", time: "").dropLast(9)), "cut.json")),
            (
                .limbo,
                try folder.write(
                    #"{"version":1,"testcases":[\#(try limbo("good::one", time: "2026-01-02T03:04:05Z", leaf: "no PEM"))]}"#,
                    "bytes.json"
                )
            ),
            (.zgrab2, try folder.write("[]\n", "zgrab.json")),
            (.zgrab2, try folder.write(String(zgrabLine(certificates()).dropLast(40)) + "\n", "cut.ndjson")),
            (.zgrab2, try folder.write(zgrabLine(certificates("no base64!")) + "\n", "bytes.ndjson")),
            (.zgrab2, try folder.write(zgrabLine(certificates(), host: "") + "\n", "nobody.ndjson")),
            (.zgrab2, try folder.write(zgrabLine(certificates(), time: "yesterday") + "\n", "time.ndjson")),
            (.zgrab2, try folder.write(String(repeating: " ", count: 5 << 20) + "\n", "long.ndjson")),
        ]
        for (format, path) in cases {
            let text = try #require(try Self.problem(format, path), "imported \(path)")
            // Where it is and what to do about it, and nothing of what is in the file.
            #expect(text.hasPrefix(folder.url.path) && !text.contains("\n"))
            #expect(
                text.dropFirst(path.utf8.count).contains(": ") && text.utf8.count < path.utf8.count + 200,
                "\(text)"
            )
            #expect(format != .zgrab2 || text.hasPrefix("\(path):1: "), "\(text)")
        }
    }

    // MARK: - openssl

    // As OpenSSL 3 prints it, shortened: the leaf stands below "Server certificate" again.
    private func clientOutput(startTime: Bool) -> String {
        """
        CONNECTED(00000003)
        ---
        Certificate chain
         0 s:CN = host000.lab.example
           i:C = XX, O = Birch Trust, CN = Birch Trust A1
           a:PKEY: id-ecPublicKey, 256 (bit); sigalg: ED25519
           v:NotBefore: Dec 24 00:00:00 2025 GMT; NotAfter: Feb  8 23:59:59 2026 GMT
        \(MadeChains.pem([made.chain[0]])) 1 s:C = XX, O = Birch Trust, CN = Birch Trust A1
           i:C = XX, O = Birch Trust, CN = Birch Trust Root
        \(MadeChains.pem([made.chain[1]]))---
        Server certificate
        \(MadeChains.pem([made.chain[0]]))subject=CN = host000.lab.example
        ---
        New, TLSv1.3, Cipher is TLS_AES_256_GCM_SHA384
        \(startTime ? "    Start Time: 1767300000\n    Timeout   : 7200 (sec)" : "")
        ---
        """
    }

    @Test func clientOutputHoldsTheChainOnce() throws {
        let folder = try TemporaryFolder("sources")
        let path = try folder.write(clientOutput(startTime: true), "a.example_993.txt")
        let chains = try Self.imported(.openssl, path).chains
        #expect(chains.map(\.endpoint) == [RecordedEndpoint(host: "a.example", port: 993)])
        #expect(chains.map(\.presented) == [Array(made.chain.prefix(2))])
        #expect(chains.map(\.time) == [1_767_300_000])
        let options = ImportOptions(time: 9, endpoint: RecordedEndpoint(host: "b.example", port: 443))
        let other = try Self.imported(.openssl, path, options).chains
        #expect(other.map(\.time) == [9])
        #expect(other.map(\.endpoint.host) == ["b.example"])
    }

    @Test func failedConnectionsAreCountedAndTwoInOneFileLeftOut() throws {
        let folder = try TemporaryFolder("sources")
        let failed = try folder.write("CONNECTED(00000003)\n---\nno peer certificate available\n---\n", "a.example.txt")
        let result = try Self.imported(.openssl, failed)
        #expect(result.chains.isEmpty && result.left.count == 1)
        #expect(result.left.losses[0].description.hasPrefix("\(failed): no line 'Certificate chain' is in it"))
        let two = clientOutput(startTime: false) + "\n" + clientOutput(startTime: false)
        let path = try folder.write(two, "two.example.txt")
        #expect(try Self.problem(.openssl, path)?.contains("holds more than one connection") == true)
    }

    // MARK: - x509-limbo

    /// A case with every member that limbo-schema.json has (and `importance`, which newer files have besides).
    private func limbo(
        _ id: String,
        result: String = "SUCCESS",
        kind: String = "SERVER",
        time: String,
        leaf: String? = nil
    ) throws -> String {
        let texts = [made.chain[0], made.chain[1], made.chain[2]].map { MadeChains.pem([$0]) }
        let parts: [String: Any] = [
            "id": id, "validation_kind": kind, "expected_result": result, "features": [String](), "description": "d",
            "conflicts_with": [String](), "importance": "undetermined", "peer_certificate_key": NSNull(),
            "signature_algorithms": ["ECDSA_WITH_SHA256"], "key_usage": ["digitalSignature"],
            "extended_key_usage": ["serverAuth"], "expected_peer_names": [[String: String]](),
            "expected_peer_name": ["kind": "DNS", "value": "host000.lab.example"], "trusted_certs": [texts[2]],
            "untrusted_intermediates": [texts[1]], "peer_certificate": leaf ?? texts[0], "max_chain_depth": NSNull(),
            "validation_time": time.isEmpty ? NSNull() : time as Any,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: parts), as: UTF8.self)
    }

    @Test("A case without fields, or something else in its place, costs itself alone") func limboBrokenCases() throws {
        let folder = try TemporaryFolder("sources")
        let good = try limbo("good::one", time: "2026-01-02T03:04:05+00:00")
        for broken in [#"{"id":"f"}"#, "5", "null", "[]", #"{"id":7}"#] {
            let path = try folder.write(#"{"testcases":[\#(broken),\#(good)]}"#, "limbo.json")
            let (chains, left) = try Self.imported(.limbo, path)
            #expect(chains.map(\.source) == ["x509-limbo good::one"])
            #expect(left.count == 1 && left.losses.allSatisfy { "\($0)".contains("case 1: ") }, "\(left.losses)")
        }
    }

    @Test func limboCasesThatMustBeAcceptedBringRootsAndTime() throws {
        let folder = try TemporaryFolder("sources")
        let cases = [
            try limbo("good::one", time: "2026-01-02T03:04:05+00:00"),
            try limbo("bad::one", result: "FAILURE", time: ""),
            try limbo("client::one", kind: "CLIENT", time: ""), try limbo("good::two", time: ""),
        ]
        let path = try folder.write(#"{"version":1,"testcases":[\#(cases.joined(separator: ","))]}"#, "limbo.json")
        let (chains, left) = try Self.imported(.limbo, path, ImportOptions(time: 5))
        #expect(left.count == 2)
        #expect(
            left.losses.map(\.description) == [
                "\(path): case 'bad::one': it is not a server that validation must accept (and 1 more like it)"
            ]
        )
        #expect(chains.map(\.source) == ["x509-limbo good::one", "x509-limbo good::two"])
        #expect(chains.map(\.time) == [1_767_323_045, 5])
        #expect(chains.map(\.presented) == Array<[UInt8]>.twice(Array(made.chain.prefix(2))))
        #expect(chains.map(\.roots) == Array<[UInt8]>.twice([made.chain[2]]))
        // Without --at, the case that has no time is left out.
        let (timed, untimed) = try Self.imported(.limbo, path)
        #expect(timed.map(\.source) == ["x509-limbo good::one"])
        #expect(untimed.losses.last?.description == "\(path): case 'good::two': no time is there: use --at")
    }

    // MARK: - zgrab2

    /// The parts of a handshake's log as zgrab2 prints them, shortened.
    func certificates(_ leaf: String? = nil) -> String {
        let texts = made.chain.prefix(2).map { Data($0).base64EncodedString() }
        let version = #"{"name":"TLSv1.2","value":771}"#
        return """
            {"client_hello":{"version":\(version),"random":"AjF5","cipher_suites":[{"hex":"0xC02F","name":"X","value":49199}]},\
            "server_hello":{"version":\(version),"random":"dMSe","session_id":"zb3C","compression_method":0},\
            "server_certificates":{"certificate":{"raw":"\(leaf ?? texts[0])","parsed":{"version":3,"serial_number":"1",\
            "validity":{"start":"2025-12-24T00:00:00Z","end":"2026-02-08T23:59:59Z","length":4060799}}},\
            "chain":[{"raw":"\(texts[1])","parsed":{"version":3}}],\
            "validation":{"browser_trusted":false,"browser_error":"x509: unknown error"}},\
            "server_finished":{"verify_data":"U68j"}}
            """
    }

    func zgrabLine(_ log: String, host: String = "a.example", time: String = "2026-01-02T03:04:05Z") -> String {
        let ip = host.isEmpty ? "" : "192.0.2.1"
        return #"{"ip":"\#(ip)","domain":"\#(host)","data":{"tls":{"status":"success","protocol":"tls","#
            + #""result":{"handshake_log":\#(log)},"timestamp":"\#(time)"}}}"#
    }

    @Test func zgrabLinesOfBothModules() throws {
        let folder = try TemporaryFolder("sources")
        let lines = [
            zgrabLine(certificates()),
            #"{"ip":"192.0.2.2","data":{"tls":{"status":"connection-timeout","protocol":"tls","#
                + #""timestamp":"2026-01-02T03:04:05Z","error":"timeout"}}}"#,
            #"{"ip":"2001:db8::2","data":{"http":{"status":"success","port":8443,"result":{"response":{"request":"#
                + #"{"tls_log":{"handshake_log":\#(certificates())}}}},"timestamp":"2026-01-02T04:04:05+01:00"}}}"#,
        ]
        let path = try folder.write(lines.joined(separator: "\n") + "\n", "scan.json")
        let (chains, left) = try Self.imported(.zgrab2, path)
        #expect(
            left.losses.map(\.description) == ["\(path):2: the scan saw no certificate, so there is no chain to import"]
        )
        #expect(chains.map(\.endpoint.host) == ["a.example", "2001:db8::2"])
        #expect(chains.map(\.endpoint.port) == [443, 8443])
        #expect(chains.map(\.time) == [1_767_323_045, 1_767_323_045])
        #expect(chains.map(\.source) == ["zgrab2 tls", "zgrab2 http"])
        #expect(chains.map(\.presented) == Array<[UInt8]>.twice(Array(made.chain.prefix(2))))
    }
}

extension ImportFormatTests {
    // Both take a client's output without -showcerts, and one that was cut.
    @Test(
        "Output without certificates is an error with a remedy",
        arguments: [
            ("Certificate chain\n 0 s:CN = a.example\n---\n", "with -showcerts"),
            ("Certificate chain\n", "the output was cut"),
        ]
    )
    func outputWithoutCertificates(text: String, remedy: String) throws {
        let folder = try TemporaryFolder("sources")
        let left = try Self.imported(.openssl, try folder.write(text, "a.example.txt")).left
        #expect(left.losses.count == 1 && left.losses[0].reason.contains(remedy))
    }

    @Test("A time that does not exist is an error, even if the options give another time", arguments: [nil, Int64(5)])
    func impossibleTimes(given: Int64?) throws {
        let folder = try TemporaryFolder("sources")
        for time in ["99999-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "0000-01-01T00:00:00Z"] {
            let suite = #"{"version":1,"testcases":[\#(try limbo("good::one", time: time))]}"#
            let cases: [(ImportFormat, String)] = [
                (.zgrab2, try folder.write(zgrabLine(certificates(), time: time) + "\n", "time.ndjson")),
                (.limbo, try folder.write(suite, "time.json")),
            ]
            for (format, path) in cases {
                let problem = try #require(try Self.problem(format, path, ImportOptions(time: given)))
                #expect(problem.hasPrefix(path) && problem.contains("'\(time)' is not a time"), "\(problem)")
            }
        }
    }

    @Test("A repeated name is an error")
    func repeatedNames() throws {
        let folder = try TemporaryFolder("sources")
        let twice = zgrabLine(certificates()).replacing(#""domain":"#, with: #""domain":"b.example","domain":"#)
        let result = try limbo("good::one", time: "2026-01-02T03:04:05Z").replacing(
            #""expected_result":"#,
            with: #""expected_result":"FAILURE","expected_result":"#
        )
        let cases: [(ImportFormat, String, String)] = [
            (.zgrab2, try folder.write(twice + "\n", "twice.ndjson"), "'domain' stands twice"),
            (.limbo, try folder.write(#"{"testcases":[\#(result)]}"#, "twice.json"), "'expected_result' stands twice"),
        ]
        for (format, path, problem) in cases {
            let found = try #require(try Self.problem(format, path))
            #expect(found.hasPrefix("\(path):1: ") && found.contains(problem), "\(found)")
        }
    }

    @Test("A path that is not a regular file is refused without waiting", .inTurn)
    func pipesAndDevices() throws {
        for (format, name) in [
            (ImportFormat.pem, "a.example.pem"), (.openssl, "a.example.txt"), (.limbo, "limbo.json"),
        ] {
            let folder = try TemporaryFolder("sources")
            let pipe = folder.url.appending(path: name).path
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            let error = try #require(throws: RecordingError.self) { try Self.imported(format, pipe) }
            #expect(error.path == pipe && error.problem.contains("not a regular file"), "\(error)")
            guard format != .limbo else { continue }
            let left = try Self.imported(format, folder.url.path).left
            #expect(left.count == 1 && left.areFaults && "\(left)".contains("not a regular file"), "\(left)")
        }
        // Its own kind of file has no end.
        let folder = try TemporaryFolder("sources")
        let link = folder.url.appending(path: "a.example.pem").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/zero")
        #expect(try Self.imported(.pem, folder.url.path).left.count == 1)
    }

    @Test("Scans may come through a pipe") func pipedScans() throws {
        let folder = try TemporaryFolder("sources")
        let pipe = folder.url.appending(path: "scans").path
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let line = Data((zgrabLine(certificates()) + "\n").utf8)
        let writer = Thread {
            let handle = FileHandle(forWritingAtPath: pipe)
            try? handle?.write(contentsOf: line)
            try? handle?.close()
        }
        writer.start()
        #expect(try Self.imported(.zgrab2, pipe).chains.count == 1)
    }
}

extension [[UInt8]] {
    /// Two of the same.
    fileprivate static func twice(_ value: Self) -> [Self] { [value, value] }
}
