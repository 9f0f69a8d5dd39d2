import Corpora
import Foundation
import TestSupport
import Testing

@testable import ChainSources

/// Entries that cannot be imported cost themselves, and no other.
extension ImportFormatTests {
    /// Why a file with one entry was not imported: the error, or what is said of the entry that is left out.
    static func problem(_ format: ImportFormat, _ path: String, _ options: ImportOptions = ImportOptions()) throws
        -> String?
    {
        do {
            let (chains, left) = try imported(format, path, options)
            #expect(chains.isEmpty && left.count == 1 && left.areFaults)
            return left.losses.first?.description
        } catch let error as RecordingError {
            return error.description
        }
    }

    /// `Grab` in zgrab2's `processing.go` omits `ip`, `domain` and `data` where they are empty.
    @Test(
        "A broken line of zgrab2 is left out and named, and the lines around it are imported",
        arguments: [
            // a name that does not resolve: no data, or an empty one
            (#"{"domain":"gone.example","error":"lookup gone.example: no such host"}"#, "the scan saw no certificate"),
            (#"{"domain":"gone.example","data":null}"#, "the scan saw no certificate"),
            (#"{"domain":"gone.example","data":{}}"#, "the scan saw no certificate"),
            (
                #"{"domain":"gone.example","data":{"tls":{"status":"io-timeout","protocol":"tls","error":"timeout"}}}"#,
                "the scan saw no certificate"
            ),
            // names
            ("IDN", "its domain or ip is not a host"), ("URL", "its domain or ip is not a host"),
            ("BLANK", "its domain or ip is not a host"), ("NOBODY", "names no host"),
            // bytes
            ("CUT", "not JSON, because it was cut"), ("RAW", "'raw' of a certificate is not base64"),
            ("Mar 01 12:00:00 started grab", "not JSON"), ("[]", "not a line of zgrab2's output"),
            (#""text""#, "not a line of zgrab2's output"), ("[1", "not JSON, because it was cut"),
            (#"{"domain":"a.example","domain":"b.example"}"#, "'domain' stands twice"),
            (#"{"domain":["a.example"],"data":{}}"#, "not a line of zgrab2's output"),
            ("TIME", "is not a time"),
            // the summary, which goes to the output when its file is the same
            (
                #"{"statuses":{"tls":{"successes":295,"failures":1}},"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:05:05Z","duration":"1m0s"}"#,
                "it is the scan's summary"
            ),
        ]
    )
    func brokenLines(line: String, reason: String) throws {
        let bad =
            switch line {
            case "IDN": zgrabLine(certificates(), host: "b\u{fc}cher.example")
            case "URL": zgrabLine(certificates(), host: "https://a.example/")
            case "BLANK": zgrabLine(certificates(), host: "a.example b.example")
            case "NOBODY": zgrabLine(certificates(), host: "")
            case "CUT": String(zgrabLine(certificates()).dropLast(100))
            case "RAW": zgrabLine(certificates("no base64!"))
            case "TIME": zgrabLine(certificates(), time: "yesterday")
            default: line
            }
        let good = (1...3).map { zgrabLine(certificates(), host: "host\($0).example") }
        let folder = try TemporaryFolder("sources")
        for place in 0...3 {
            var lines = good
            lines.insert(bad, at: place)
            // The last line has no end, as where a scan was stopped.
            let path = try folder.write(lines.joined(separator: "\n"), "scan.json")
            let (chains, left) = try Self.imported(.zgrab2, path)
            #expect(chains.map(\.endpoint.host) == ["host1.example", "host2.example", "host3.example"])
            #expect(left.count == 1)
            let loss = try #require(left.losses.first)
            #expect(loss.place == "\(path):\(place + 1)" && loss.reason.contains(reason), "\(loss)")
            #expect(!loss.description.contains("\n"))
        }
    }

    @Test("A damaged issuer costs its own line") func damagedIssuer() throws {
        let folder = try TemporaryFolder("sources")
        let issuer = Data(made.chain[1]).base64EncodedString()
        let bad = zgrabLine(certificates()).replacing(issuer, with: String(issuer.dropLast(3)) + "*")
        let path = try folder.write(bad + "\n" + zgrabLine(certificates(), host: "b.example"), "scan.json")
        let (chains, left) = try Self.imported(.zgrab2, path)
        #expect(chains.map(\.endpoint.host) == ["b.example"] && left.areFaults && left.count == 1)
    }

    @Test("A file of a folder that is no chain is left out, and the others are imported") func brokenFiles() throws {
        let (leaf, chain) = (made.chain[0], MadeChains.pem([made.chain[0]]))
        let broken: [(ImportFormat, String, Data, String)] = [
            (.pem, "der.example.cer", Data(leaf), "binary (DER), not PEM"),
            (.pem, "der.example.der", Data(leaf), "binary (DER), not PEM"),
            (.pem, "cut.example.pem", Data(chain.utf8.prefix(200)), ": "),
            (.pem, "empty.example.pem", Data(), "no certificate in it"),
            (
                .pem, "key.example.pem", Data("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n".utf8),
                ": "
            ),
            (.pem, "not a host.pem", Data(chain.utf8), "is not named like host.pem"),
            (.pem, "wide.example.pem", Data(chain.utf8.flatMap { [$0, 0] }), "no certificate in it"),
            (.openssl, "failed.example.txt", Data("CONNECTED(00000003)\n".utf8), "no line 'Certificate chain'"),
            (.openssl, "cut.example.txt", Data("Certificate chain\n\(chain.prefix(200))\n---\n".utf8), ": "),
            (
                .openssl, "two.example.txt",
                Data("Certificate chain\n\(chain)---\nCertificate chain\n\(chain)---\n".utf8),
                "more than one connection"
            ),
        ]
        for (format, name, data, reason) in broken {
            let folder = try TemporaryFolder("sources")
            let ending = format == .pem ? "pem" : "txt"
            for host in ["a", "z"] {
                try folder.write(
                    format == .pem ? chain : "Certificate chain\n\(chain)---\n",
                    "\(host).example.\(ending)"
                )
            }
            try data.write(to: folder.url.appending(path: name))
            let (chains, left) = try Self.imported(format, folder.url.path)
            #expect(chains.map(\.endpoint.host) == ["a.example", "z.example"] && left.count == 1)
            #expect(left.losses.first?.place == folder.url.appending(path: name).path)
            #expect(left.losses.first?.reason.contains(reason) == true, "\(left.losses)")
        }
    }

    @Test("However many reasons a file has, few are kept, and every entry is counted") func manyReasons() throws {
        let folder = try TemporaryFolder("sources")
        let lines = (0..<200).map { zgrabLine(certificates(), time: "day \($0)") } + ["{}", "{}"]
        let (chains, left) = try Self.imported(.zgrab2, try folder.write(lines.joined(separator: "\n"), "scan.json"))
        #expect(chains.isEmpty && left.count == 202 && left.losses.count <= ImportLosses.mostReasons)
        #expect(!left.areFaults)
        var sum = ImportLosses()
        for _ in 0..<3 { sum.add(left) }
        #expect(sum.count == 606 && sum.losses.count <= ImportLosses.mostReasons)
    }

    @Test(
        "What cannot be read in a folder is left out and named, and the files around it are imported",
        arguments: [(ImportFormat.pem, "pem"), (.openssl, "txt")]
    )
    func unreadableFiles(format: ImportFormat, ending: String) throws {
        let folder = try TemporaryFolder("sources")
        let url = folder.url
        try FileManager.default.createDirectory(
            at: url.appending(path: "folder.example.\(ending)"),
            withIntermediateDirectories: true
        )
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: "gone.example.\(ending)").path,
            withDestinationPath: "missing"
        )
        let (none, all) = try Self.imported(format, folder.url.path)
        #expect(none.isEmpty && all.count == 2 && all.areFaults)
        let text = MadeChains.pem(made.chain)
        try folder.write(format == .pem ? text : "Certificate chain\n\(text)---\n", "sound.example.\(ending)")
        let (chains, left) = try Self.imported(format, folder.url.path)
        #expect(chains.map { "\($0.endpoint)" } == ["sound.example"] && left.count == 2)
    }
}
