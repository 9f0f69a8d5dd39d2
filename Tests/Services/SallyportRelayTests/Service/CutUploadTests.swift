import Dispatch
import Hostnames
import LiveServers
import NIOCore
import NIOPosix
import NTLM
import Sallyport
import SallyportRelay
import Synchronization
import Testing

/// Uploads that do not come to their end: the parent waits for a body, and has refused nothing.
@Suite(.inTurn) struct CutUploadTests {
    enum Cut: CaseIterable {
        /// The client closes its connection.
        case left
        /// The same, and the parent gives up before the relay does.
        case leftByBoth
        /// The client sends what is no chunk.
        case malformed
        /// The client sends nothing more.
        case stalled
    }

    /// The limits of a relay that ends the upload.
    private static func limits(_ cut: Cut) -> RelayLimits {
        var limits = RelayLimits()
        switch cut {
        case .left, .malformed: limits.handshake = .milliseconds(50)
        // Long enough for the parent to be heard.
        case .leftByBoth: limits.handshake = .patient
        case .stalled: limits.stalled = .milliseconds(50)
        }
        return limits
    }

    @Test("Two of them do not pause the account of a domain", arguments: Cut.allCases)
    func account(_ cut: Cut) async throws {
        let uploads = Atomic(0)
        let clientLeaves = DispatchSemaphore(value: 0)
        // A reply that blocks holds up no other server.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // It waits for the bodies of those who know the password.
        let parent = try await ScriptedServer(group: group) { request in
            guard request.field("Proxy-Authorization") != nil else {
                return .send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n")
            }
            // The head of an upload, which waits for the word.
            guard request.head.hasPrefix("POST") else { return .send("HTTP/1.1 204 Done\r\n\r\n") }
            uploads.add(1, ordering: .relaxed)
            let word = "HTTP/1.1 100 Continue\r\n\r\n"
            guard cut == .leftByBoth else { return .send(word) }
            _ = clientLeaves.wait(timeout: .now() + Patience.limit / .seconds(1))
            return .sendAndClose(word)
        }
        let handler = try TestRelay.handler(parent.origin, .basic, domain: NTLMParent.domain)
        try await TestRelay.run(before: parent.origin, handler, limits: Self.limits(cut)) { relay in
            // A relay on a busy machine may give an upload up before its answer has left.
            while uploads.load(ordering: .relaxed) < 2 {
                let before = uploads.load(ordering: .relaxed)
                let client = try relay.connect()
                try client.send(
                    "POST http://a.example/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n"
                )
                if cut == .malformed { try client.send("no chunk\r\n") }
                if cut != .stalled {
                    try await eventually("the parent has an answer") { uploads.load(ordering: .relaxed) == before + 1 }
                }
                switch cut {
                case .left, .leftByBoth: client.stream.finish()
                case .malformed, .stalled: _ = try client.readResponse()
                }
                if cut == .leftByBoth {
                    try await eventually("the client is gone") { await relay.relay.counters().clients == 0 }
                    clientLeaves.signal()
                }
                try await eventually("the upload is given up") {
                    await relay.relay.counters().openParentConnections == 0
                }
            }
            #expect(await relay.relay.counters().badLogOns == 0)
        }
        // With limits that a busy machine does not reach.
        try await TestRelay.run(before: parent.origin, handler) { relay in
            let next = try relay.connect().get("http://a.example/")
            #expect(next.status == 204)
        }
        parent.stop()
        try await group.shutdownGracefully()
    }
}
