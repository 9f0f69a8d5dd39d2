import Corpora
import Foundation
import TestSupport
import Testing

@testable import ChainSources

/// Of which server a chain in zgrab2's output is.
extension ImportFormatTests {
    /// A response of `zgrab2 http` to a request over TLS of `host`; without one where the line has no URL.
    private func response(_ host: String?, _ leaf: String) -> String {
        let url = host.map { #""url":{"scheme":"https","host":"\#($0)","path":"/"},"# } ?? ""
        return
            #"{"status_code":200,"request":{\#(url)"method":"GET","tls_log":{"handshake_log":\#(certificates(leaf))}}}"#
    }

    private func line(_ module: String, _ result: String, port: String = "") -> String {
        #"{"ip":"192.0.2.1","domain":"asked.example","data":{"\#(module)":{"status":"success","protocol":"\#(module)",\#(port)"#
            + #""result":\#(result),"timestamp":"2026-01-02T03:04:05Z"}}}"#
    }

    @Test("zgrab2 with redirects: each chain is of the server of its own request") func zgrabRedirects() throws {
        let folder = try TemporaryFolder("sources")
        let leaves = (1...3).map { Data([0x30, 0x01, UInt8($0)]).base64EncodedString() }
        let cases: [(String, [(String, Int, UInt8)])] = [
            // the last response alone, which is another server's
            (
                line("http", #"{"response":\#(response("www.other.example", leaves[0]))}"#),
                [("www.other.example", 443, 1)]
            ),
            // every hop, with ports, an address, and one in capitals
            (
                line(
                    "http",
                    #"{"response":\#(response("Last.Example:8443", leaves[2])),"redirect_response_chain":["#
                        + #"\#(response("asked.example", leaves[0])),\#(response("[2001:db8::1]:444", leaves[1]))]}"#,
                    port: #""port":443,"#
                ), [("asked.example", 443, 1), ("2001:db8::1", 444, 2), ("last.example", 8443, 3)]
            ),
            // a hop without TLS has no chain, and two requests to one server have one
            (
                line(
                    "http",
                    #"{"response":\#(response("b.example", leaves[1])),"redirect_response_chain":[{"request":{"url":"#
                        + #"{"scheme":"http","host":"asked.example"}}},\#(response("b.example", leaves[1]))]}"#
                ), [("b.example", 443, 2)]
            ),
            // the module's port is that of the first request alone
            (
                line("http", #"{"response":\#(response("c.example", leaves[0]))}"#, port: #""port":8443,"#),
                [("c.example", 443, 1)]
            ),
            // a line without URLs is of the server that was asked
            (
                line("http", #"{"response":\#(response(nil, leaves[0]))}"#, port: #""port":8443,"#),
                [("asked.example", 8443, 1)]
            ),
        ]
        for (text, expected) in cases {
            let (chains, left) = try Self.imported(.zgrab2, try folder.write(text + "\n", "scan.json"))
            #expect(left.losses.isEmpty)
            #expect(
                chains.map(\.endpoint.host) == expected.map(\.0) && chains.map(\.endpoint.port) == expected.map(\.1)
            )
            #expect(chains.map { $0.presented[0] } == expected.map { [0x30, 0x01, $0.2] })
        }
        // A host that no recording holds, or that is not named, costs its own chain and no other.
        for host in ["b\u{fc}cher.example", nil] {
            let text = line(
                "http",
                #"{"response":\#(response(host, leaves[1])),"redirect_response_chain":["#
                    + #"\#(response("asked.example", leaves[0]))]}"#
            )
            let (chains, left) = try Self.imported(.zgrab2, try folder.write(text + "\n", "scan.json"))
            #expect(chains.map(\.endpoint.host) == ["asked.example"])
            #expect(
                left.losses.map(\.reason) == [
                    "a redirect names a host that a recording cannot hold: scan it by its name"
                ]
            )
        }
    }

    @Test(
        "zgrab2's modules that begin TLS inside their protocol are read",
        arguments: [
            ("smtp", 25), ("imap", 143), ("pop3", 110), ("ftp", 21), ("mysql", 3306), ("postgres", 5432),
            ("mssql", 1433),
            ("rdp", 3389), ("redis", 6379), ("amqp091", 5672), ("unknown", 443),
        ]
    )
    func zgrabStartTLS(module: String, port: Int) throws {
        let folder = try TemporaryFolder("sources")
        for key in ["tls", "tls_log"] {
            let result = #"{"banner":"220 ready","starttls":"220 go","\#(key)":{"handshake_log":\#(certificates())}}"#
            let lines = [line(module, result), line(module, result, port: #""port":2525,"#)]
            let path = try folder.write(lines.joined(separator: "\n") + "\n", "scan.json")
            let (chains, left) = try Self.imported(.zgrab2, path)
            #expect(left.losses.isEmpty && chains.map(\.endpoint.port) == [port, 2525])
            #expect(chains.allSatisfy { $0.endpoint.host == "asked.example" && $0.source == "zgrab2 \(module)" })
            #expect(chains.allSatisfy { $0.presented == Array(made.chain.prefix(2)) })
        }
    }

    @Test("Each of a line's modules is the chain of its own port")
    func zgrabModules() throws {
        let folder = try TemporaryFolder("sources")
        let result = #"{"handshake_log":\#(certificates())}"#
        let text =
            #"{"domain":"asked.example","data":{"tls":{"status":"success","timestamp":"2026-10-01T10:00:00Z","result":\#(result)},"#
            + #""smtp":{"status":"success","timestamp":"2026-10-01T10:00:00Z","result":{"tls":\#(result)}},"#
            + #""imap":{"status":"success","timestamp":"2026-10-01T10:00:00Z","result":{"tls":\#(result)}}}}"#
        let (chains, left) = try Self.imported(.zgrab2, try folder.write(text + "\n", "scan.json"))
        #expect(left.losses.isEmpty && Set(chains.map(\.endpoint.port)) == [443, 25, 143] && chains.count == 3)
    }
}
