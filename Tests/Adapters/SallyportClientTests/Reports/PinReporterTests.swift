import Foundation
import Hostnames
import LiveServers
import NIOHTTP1
import SPKIPins
import Sallyport
import SallyportClient
import SallyportNIO
import SwiftASN1
import Synchronization
import TestLimits
import TestSupport
import Testing
import X509

/// Reports of pin failures that a live receiver gets.
@Suite(.row(83), .inTurn) struct PinReporterTests {
    private static let ok = "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"

    private func receiver(
        _ answer: String = ok,
        hangsAtFirst: Bool = false
    ) async throws -> ScriptedServer {
        try await ScriptedServer { request in
            hangsAtFirst && request.connection == 0 ? .hang : .sendAndClose(answer)
        }
    }

    private func url(_ server: ScriptedServer, host: String = "127.0.0.1") throws -> ServiceURL {
        try ServiceURL("http://\(host):\(server.origin.port)/reports?app=1")
    }

    @Test("A mismatch is reported once, with both chains and the pins, also if the entry only reports")
    func reported() async throws {
        for mode in [PinPolicy.Mode.enforce, .reportOnly] {
            let receiver = try await receiver()
            defer { receiver.stop() }
            var world = try TLSWorld()
            let leaf = try world.root.leaf("localhost")
            let stranger = try TestAuthority("Stranger").own.pin
            world.pins = [TLSWorld.entry(stranger, host: "localhost", mode: mode)]
            let server = try await ScriptedServer(tls: leaf.serverContext) { _ in
                .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            defer { server.stop() }
            let current = CurrentHandler(ChallengeHandler(try world.compiled))
            let reporter = try PinReporter(to: url(receiver), tls: TLSConnector(world.settings, current))
            world.settings.onPinFailure = { reporter.add($0) }
            let tls = try TLSConnector(world.settings, current)
            for _ in 0..<2 {
                // Each client has a handshake of its own.
                let client = AuthenticatedClient(current, settings: .patient, tls: tls)
                defer { client.shutDown() }
                let request = ClientRequest(origin: server.origin)
                if mode == .enforce {
                    await #expect(throws: TLSError.self) { try await client.execute(request) }
                } else {
                    #expect(try await client.execute(request).status == .ok)
                }
            }
            await reporter.finish()
            #expect(receiver.requests.count == 1)
            let request = try #require(receiver.requests.first)
            #expect(request.head.hasPrefix("POST /reports?app=1 HTTP/1.1\r\n"), "\(request.head)")
            #expect(request.field("Content-Type") == "application/json" && request.field("Authorization") == nil)
            let json = try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any]
            #expect(json?["hostname"] as? String == "localhost" && json?["noted-hostname"] as? String == "localhost")
            #expect(json?["port"] as? Int == Int(server.origin.port))
            #expect(json?["include-subdomains"] as? Bool == false)
            func pem(_ certificates: [Certificate]) throws -> [String] {
                try certificates.map { try $0.serializeAsPEM().pemString + "\n" }
            }
            #expect(try json?["served-certificate-chain"] as? [String] == pem([leaf.certificate]))
            let path = [leaf.certificate, world.root.own.certificate]
            #expect(try json?["validated-certificate-chain"] as? [String] == pem(path))
            let digits = "\(stranger)".dropFirst("sha256/".count)
            #expect((json?["known-pins"] as? [String])?.contains("pin-sha256=\"\(digits)\"") == true)
        }
    }

    /// A mismatch at some host.
    private func report(_ host: String) throws -> PinReport {
        let policy = try PinPolicy(
            compiling: [TLSWorld.entry(Pin(hashing: [UInt8](arrayLiteral: 7).span), host: "**.example.com")],
            version: 1,
            at: 0
        )
        let name = try Hostname(parsing: host)
        let chain = try ValidatedChain(assertingValidated: [try TestAuthority("Root").own.der])
        guard case .mismatched(let mismatch) = policy.verdict(for: name, chain: chain, now: 0) else {
            throw PeerFailure(what: "a pin matches")
        }
        return PinReport(mismatch, host: name, port: 443, at: 1)
    }

    @Test("The queue is bounded, and nothing waits for the receiver")
    func bounded() async throws {
        let receiver = try await receiver(hangsAtFirst: true)
        defer { receiver.stop() }
        let tls = try TLSConnector(TLSWorld().settings, CurrentHandler(ChallengeHandler(TLSWorld().compiled)))
        let reporter = try PinReporter(to: url(receiver), tls: tls)
        reporter.add(try report("first.example.com"))
        try await eventually("the first report") { receiver.requests.count == 1 }
        for number in 0..<PinReporter.mostWaiting + 5 { reporter.add(try report("h\(number).example.com")) }
        try await receiver.release(0, with: Self.ok)
        // The end itself waits for a few seconds alone, in which a busy machine does not send them all.
        try await eventually("all that waited") { receiver.requests.count > PinReporter.mostWaiting }
        await reporter.finish()
        #expect(receiver.requests.count == 1 + PinReporter.mostWaiting)
    }

    @Test("A failure is one line; a report about the receiver's own host, and one without a receiver, are dropped")
    func dropped() async throws {
        let receiver = try await receiver("HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n")
        defer { receiver.stop() }
        let tls = try TLSConnector(TLSWorld().settings, CurrentHandler(ChallengeHandler(TLSWorld().compiled)))
        let lines = Mutex<[String]>([])
        // That of the page is made and does nothing.
        let current = CurrentHandler(ChallengeHandler(try TLSWorld().compiled))
        try await PinReportsSnippet.client(url(receiver), current).1.finish()
        let reporter = try PinReporter(to: url(receiver), tls: tls) { line in lines.withLock { $0.append(line) } }
        reporter.add(try report("wiki.example.com"))
        try await eventually("the failure") { lines.withLock { $0.count } == 1 }
        let line = lines.withLock { $0[0] }
        let place = "http://127.0.0.1:\(receiver.origin.port)/reports"
        #expect(line.hasPrefix("the pin report about wiki.example.com was not sent to \(place): it answered with 500"))
        #expect(line.contains("check the URL of 'pinReports'"))
        reporter.replaceURL(nil)
        reporter.add(try report("other.example.com"))
        reporter.replaceURL(try ServiceURL("https://third.example.com/"))
        reporter.add(try report("third.example.com"))
        await reporter.finish()
        #expect(receiver.requests.count == 1 && lines.withLock { $0.count } == 1)
    }
}
