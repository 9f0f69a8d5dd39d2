import Hostnames
import LiveServers
import NIOCore
import NTLM
import Sallyport
import SallyportRelay
import TestLimits
import Testing

/// Uploads that do not come to their end: the parent waits for a body, and has refused nothing.
@Suite(.inTurn) struct CutUploadTests {
    enum Cut: CaseIterable {
        /// The client closes its connection.
        case left
        /// The client sends a malformed chunk.
        case malformed
        /// The client sends nothing more.
        case stalled
    }

    /// The limits of a relay that ends the upload.
    private static func limits(_ cut: Cut) -> RelayLimits {
        var limits = RelayLimits()
        switch cut {
        case .left, .malformed: limits.handshake = .milliseconds(50)
        case .stalled: limits.stalled = .milliseconds(50)
        }
        return limits
    }

    @Test("Two of them do not pause the account of a domain", arguments: Cut.allCases)
    func account(_ cut: Cut) async throws {
        // It waits for the bodies of those who know the password.
        let parent = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            return .send(request.head.hasPrefix("POST") ? "HTTP/1.1 100 Continue\r\n\r\n" : "HTTP/1.1 204 Done\r\n\r\n")
        }
        defer { parent.stop() }
        let end = ContinuousClock.now + Patience.limit
        while true {
            let handler = try TestRelay.handler(parent.origin, .basic, domain: NTLMParent.domain)
            var areWaitedFor = false
            try await TestRelay.run(before: parent.origin, handler, limits: Self.limits(cut)) { relay in
                if try await upload(cut, relay) { areWaitedFor = try await upload(cut, relay) }
                #expect(await relay.relay.counters().badLogOns == 0)
            }
            guard areWaitedFor else {
                try #require(ContinuousClock.now < end)
                continue
            }
            // With limits that a busy machine does not reach.
            try await TestRelay.run(before: parent.origin, handler) { relay in
                let next = try relay.connect().get("http://a.example/")
                #expect(next.status == 204)
            }
            return
        }
    }

    @Test("A parent that does not read an upload has not waited for its client: two such uploads count")
    func unread() async throws {
        let parent = try await ScriptedServer { request in
            guard request.field("Proxy-Authorization") != nil else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            guard request.head.hasPrefix("POST") else { return .send("HTTP/1.1 204 Done\r\n\r\n") }
            return .sendAndStopReading("HTTP/1.1 100 Continue\r\n\r\n")
        }
        defer { parent.stop() }
        var last = 0
        // A relay on a busy machine may give an upload up before its client has filled the way to the parent: it gets longer.
        for seconds in [1, 2, 4, 8, 16] as [Int64] where last != 503 {
            var limits = RelayLimits()
            limits.stalled = .seconds(seconds)
            let handler = try TestRelay.handler(parent.origin, .basic, domain: NTLMParent.domain)
            try await TestRelay.run(before: parent.origin, handler, limits: limits) { relay in
                for _ in 1...2 {
                    let client = try relay.connect()
                    try client.send(Self.head)
                    guard try client.readHead().status == 100 else { continue }
                    // More than the system keeps for both connections. The relay closes when it has waited in vain.
                    try? client.stream.send(Array("4000000\r\n".utf8) + [UInt8](repeating: 0x61, count: 64 << 20))
                    // Nothing of it arrives if the client was still sending.
                    if let response = try? client.readResponse() { #expect(response.status == 504) }
                }
            }
            try await TestRelay.run(before: parent.origin, handler) { relay in
                last = try relay.connect().get("http://a.example/").status
            }
        }
        #expect(last == 503)
    }

    private static let head =
        "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"

    /// Begins an upload that does not end.
    ///
    /// - Returns: whether the parent waited for its body. On a busy machine the relay may give it up before.
    private func upload(_ cut: Cut, _ relay: TestRelay) async throws -> Bool {
        let client = try relay.connect()
        try client.send(Self.head)
        guard try client.readHead().status == 100 else { return false }
        try client.send(cut == .malformed ? "no chunk\r\n" : "5\r\nbegin\r\n")
        switch cut {
        case .left: client.stream.finish()
        case .malformed, .stalled: _ = try client.readResponse()
        }
        try await eventually("the upload is given up") {
            await relay.relay.counters().openParentConnections == 0
        }
        return true
    }
}
