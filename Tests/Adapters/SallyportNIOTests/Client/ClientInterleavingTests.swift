import NIOCore
import NIOEmbedded
import NIOHTTP1
import Sallyport
import SallyportNIO
import TestSupport
import Testing

/// Users, servers and connections that do what they want, in numbered orders.
@Suite struct ClientInterleavingTests {
    @Test(
        "No body arrives cut short, answers keep their order, and each write has one result",
        arguments: UInt64(1)...300
    )
    func interleave(seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<60 where world.harness.channel.isActive { try world.step() }
        try world.end()
        let unended = world.writes.filter { !$0.haveEnded }.count
        #expect(unended == 0)
        // The body of each response names its request. On one connection none is left out after the request that moved to
        // it; those that waited behind that request are failed.
        var last = -1
        for (index, connection) in world.answers.enumerated() {
            var numbers = connection.split(separator: "!").compactMap { Int($0.dropFirst()) }
            if index > 0, let moved = numbers.first {
                #expect(moved > last)
                last = moved
                numbers.removeFirst()
            }
            guard let first = numbers.first else { continue }
            #expect(index > 0 ? first > last : first == 0)
            last = first + numbers.count - 1
            #expect(numbers == Array(first...last))
        }
    }

    /// One user, and servers that he meets one after the other.
    private struct World {
        var generator: SeededGenerator
        let challenges: ChallengeHandler
        var harness: ClientHarness
        var writes: [Writes] = []
        /// What the users of the connections got.
        var answers: [String] = []
        /// The bodies that the user wrote so far, and whether they have ended.
        private var bodies: [String: (text: String, isEnded: Bool)] = [:]
        private var openTarget: String?
        /// The request that the server reads.
        private var request: ClientHarness.Sent?
        private var isAnswering = false
        private var ntlm = NTLMServer()

        init(seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            challenges = try ClientProfile.handler()
            harness = try ClientHarness(challenges) { $0.mostRepeatableBytes = 64 }
        }

        mutating func step() throws {
            if Bool.random(using: &generator) { write() } else { try serve() }
            try follow()
        }

        /// Goes on with a new connection if one is needed.
        private mutating func follow() throws {
            guard case .connectionNeeded(let request)? = harness.user.errors.last as? AuthenticationError else {
                return
            }
            answers.append(harness.user.body)
            harness = try ClientHarness(challenges, continuing: request) { $0.mostRepeatableBytes = 64 }
            (self.request, isAnswering, ntlm) = (nil, false, NTLMServer())
        }

        mutating func end() throws {
            harness.channel.close(promise: nil)
            answers.append(harness.user.body)
            harness.user.errors = []
            harness.channel.embeddedEventLoop.advanceTime(by: .hours(1))
        }

        private mutating func write() {
            if let target = openTarget, let last = writes.last {
                let ends = Bool.random(using: &generator)
                let text = ends ? "" : String(repeating: "x", count: Int.random(in: 1...40, using: &generator))
                bodies[target]?.text += text
                if ends { bodies[target]?.isEnded = true }
                harness.write(ends ? .end(nil) : .body(.byteBuffer(ByteBuffer(string: text))), last)
                harness.channel.flush()
                if ends { openTarget = nil }
                return
            }
            guard writes.count < 12 else { return }
            let target = "/\(writes.count)"
            let isWhole = Bool.random(using: &generator)
            bodies[target] = ("data", isWhole)
            if !isWhole { openTarget = target }
            let chunked: HTTPHeaders = ["Transfer-Encoding": "chunked"]
            writes.append(harness.request(.POST, target, chunked, body: "data", ends: isWhole))
        }

        private mutating func serve() throws {
            if isAnswering {
                isAnswering = false
                return try harness.give(.end(nil))
            }
            if request == nil, case .head(let head)? = try harness.channel.readOutbound(as: HTTPClientRequestPart.self)
            {
                request = ClientHarness.Sent(head: head)
            }
            guard let partial = request else { return }
            let sent = try harness.more(of: partial)
            request = sent
            let expected = try #require(bodies[sent.head.uri])
            #expect(expected.text.hasPrefix(sent.body))
            let isLeg = sent["Content-Length"] == "0"
            if sent.isEnded, !isLeg { #expect(sent.body == expected.text && expected.isEnded) }
            try answer(sent)
        }

        /// Answers a request that has ended; sometimes also one that has not.
        private mutating func answer(_ sent: ClientHarness.Sent) throws {
            let choice = Int.random(in: 0..<9, using: &generator)
            if !sent.isEnded {
                switch choice {
                case 0, 1: try harness.give(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
                case 2: try challenge("Basic realm=x")
                case 3: harness.channel.embeddedEventLoop.advanceTime(by: .seconds(1))
                default: break
                }
                return
            }
            if let answer = sent["Authorization"], answer.hasPrefix("NTLM"), choice < 7 {
                switch try ntlm.reply(to: answer) {
                case .challenge(let value): return try challenge(value)
                case .accepted: return try accept()
                case .refused: Issue.record("a right password was refused")
                }
            }
            switch choice {
            case 0: try challenge("Basic realm=x")
            case 1: try challenge("NTLM")
            case 2: try challenge("Basic realm=x", ["Connection": "close"])
            case 3: harness.channel.close(promise: nil)
            default: try accept()
            }
        }

        private mutating func challenge(_ value: String, _ more: HTTPHeaders = [:]) throws {
            var headers = more
            headers.add(name: "WWW-Authenticate", value: value)
            try respond(401, headers)
        }

        private mutating func accept() throws { try respond(200) }

        private mutating func respond(_ status: Int, _ headers: HTTPHeaders = [:]) throws {
            let body = "\(request?.head.uri ?? "")!"
            isAnswering = Bool.random(using: &generator)
            request = nil
            try harness.respond(status, headers, body: body, ends: !isAnswering)
        }
    }
}
