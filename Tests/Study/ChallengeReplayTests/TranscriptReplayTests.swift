import Corpora
import Foundation
import HTTPTypes
import Sallyport
import Synchronization
import TestSupport
import Testing
import WireFormat

@testable import ChallengeReplay

/// Transcripts of made-up requests, read back.
@Suite struct TranscriptReplayTests {
    /// What `events` say, as a transcript in a file.
    static func file(_ events: [AuthenticationEvent], names: Transcript.Names = .kept) throws -> URL {
        var transcript = Transcript(names: names)
        var bytes: [UInt8] = []
        for event in events { bytes += transcript.record(event) }
        bytes += transcript.finish()
        let file = TemporaryFolder.place("transcript", extension: ".ndjson")
        try Data(bytes).write(to: file)
        return file
    }

    static func replay(_ file: URL) throws -> ReplayReport {
        var report = ReplayReport()
        var latencies = StageLatencies()
        let recording = try ChallengeRecording(transcript: file)
        #expect(recording.isTranscript)
        try Replayer(recording: recording, profile: nil).pass(latencies: &latencies) { report.count($0) }
        return report
    }

    final class Recorder: Sendable {
        private let events = Mutex<[AuthenticationEvent]>([])

        /// An observer whose time is that of the lock-out rules, from a day in 2026 on.
        func observer(_ clock: ManualClock) -> EventObserver {
            EventObserver(
                clock: { 1_780_000_000_000_000 + clock.now.nanoseconds / 1_000 },
                receive: { [self] event in events.withLock { $0.append(event) } }
            )
        }

        var all: [AuthenticationEvent] { events.withLock { $0 } }
    }

    /// Requests of one client to servers with rules of their own, in an order that a seed chooses.
    struct World {
        let recorder = Recorder()
        let clock = ManualClock()
        let current: CurrentHandler
        var generator: Generator
        let proxy: Origin

        struct Generator: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                // Splitmix64, by Sebastiano Vigna.
                state &+= 0x9E37_79B9_7F4A_7C15
                var z = state
                z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
                z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
                return z ^ (z >> 31)
            }
        }

        init(seed: UInt64) throws {
            generator = Generator(state: seed)
            proxy = try Origin(parsing: "http://proxy.acme.example:3128")
            let compiled = try CompiledProfile(try Self.profile(password: "first"), at: 0)
            current = CurrentHandler(ChallengeHandler(compiled, clock: clock, observer: recorder.observer(clock)))
        }

        static func profile(password: String) throws -> SecurityProfile {
            func account(_ name: String, domain: String? = nil) -> Account {
                Account(name: name, user: name, domain: domain, password: SharedSecret(utf8: "\(password)-\(name)"))
            }
            return SecurityProfile(
                sites: try SiteList(
                    parsing: """
                        *.acme.example
                        http://10.1.0.0/16
                        http://proxy.acme.example:3128
                        !bad.acme.example
                        """,
                    name: "test"
                ),
                schemes: [.ntlm, .digest, .basic],
                accounts: [
                    .init(
                        account("jdoe", domain: "ACME"),
                        sites: ["*.acme.example", "http://proxy.acme.example:3128"],
                        allowsCleartext: true
                    ),
                    .init(account("builder"), sites: ["build.acme.example/repository", "http://10.1.0.0/16"]),
                    .init(account("strict"), sites: ["strict.acme.example"], schemes: [.digest]),
                ]
            )
        }

        static let hosts = [
            "https://wiki.acme.example", "https://build.acme.example", "https://strict.acme.example",
            "https://bad.acme.example", "https://evil.example", "http://10.1.2.3", "http://10.2.2.3",
        ]
        static let challenges = [
            ["Basic realm=\"x\""], ["NTLM"], ["NTLM", "Basic realm=\"x\""], ["Negotiate", "NTLM"],
            [#"Digest realm="x", nonce="n1", qop="auth", algorithm=SHA-256"#],
            [#"Digest realm="x", nonce="n1""#, "Basic realm=\"x\""], ["Bearer"], [#"NTLM a="b"#, "Basic realm=x"],
            [],
        ]

        mutating func run(_ count: Int) throws {
            for number in 0..<count {
                // Sometimes hours pass, or a password changes.
                clock.advance(by: .milliseconds(Int.random(in: 1...2_000, using: &generator)))
                if Int.random(in: 0..<20, using: &generator) == 0 { clock.advance(by: .seconds(7_200)) }
                if Int.random(in: 0..<15, using: &generator) == 0 {
                    current.replace(with: try CompiledProfile(try Self.profile(password: "p\(number)"), at: 0))
                } else if Int.random(in: 0..<15, using: &generator) == 0 {
                    let password = SharedSecret(utf8: "q\(number)")
                    try current.handler.updateUserCredentials(account: "jdoe", password: password)
                } else if Int.random(in: 0..<30, using: &generator) == 0 {
                    try current.handler.forgive(account: "builder")
                }
                try request(number)
            }
        }

        private mutating func pick<Element>(_ elements: [Element]) -> Element {
            elements[Int.random(in: elements.indices, using: &generator)]
        }

        private mutating func request(_ number: Int) throws {
            let origin = try Origin(parsing: pick(Self.hosts))
            let path = pick(["/", "/repository/a", "/docs/b?x=Query-Secret", "/docs/c"])
            let route: RequestRoute = Int.random(in: 0..<4, using: &generator) == 0 ? .connect(to: proxy) : .direct
            let body: OutgoingRequest.Body = Int.random(in: 0..<6, using: &generator) == 0 ? .once : .none
            let outgoing = OutgoingRequest(origin: origin, target: path, body: body)
            let securities: [ConnectionTraits.Security?] = [
                ConnectionTraits.Security.none, .unknownLeaf, .leaf(RecordedLeaf.bytes), nil,
            ]
            let traits = ConnectionTraits(
                id: UInt64(number),
                canPin: Int.random(in: 0..<4, using: &generator) > 0,
                security: pick(securities)
            )
            var authentication = current.handler.authentication(of: outgoing, by: route)
            var step = authentication.begin()
            var legs = 0
            var challenge: (status: Int, fields: HTTPFields)?
            while legs < 6 {
                switch step {
                case .wait(let turn):
                    clock.advance(by: turn.timeLeft)
                    step = authentication.resume()
                    continue
                case .deliver, .needs: return
                case .send: break
                }
                legs += 1
                // A client that gives up.
                if Int.random(in: 0..<40, using: &generator) == 0 { return }
                // A connection that is lost in mid-handshake.
                if let challenge, Int.random(in: 0..<12, using: &generator) == 0 {
                    step = authentication.received(
                        status: challenge.status,
                        fields: challenge.fields,
                        on: .afterLostHandshake(id: UInt64(1_000_000 + number))
                    )
                    continue
                }
                let status = pick([200, 200, 302, 401, 401, 401, 407, 403, 500])
                var fields = HTTPFields()
                let name: HTTPField.Name = status == 407 ? .proxyAuthenticate : .wwwAuthenticate
                if status == 401 || status == 407 {
                    for challenge in pick(Self.challenges) {
                        fields.append(HTTPField(name: name, value: challenge))
                    }
                    if Int.random(in: 0..<10, using: &generator) == 0 { fields[.connection] = "close" }
                    challenge = (status, fields)
                }
                step = authentication.received(status: status, fields: fields, on: traits)
            }
        }
    }

    /// A certificate whose signature has a hash, for channel bindings: the first one of the recording that ships.
    enum RecordedLeaf {
        static let bytes: [UInt8] = {
            guard let recording = try? ShippedRecording.corporateDay.load() else { return [] }
            return recording.certificates.sorted { $0.key < $1.key }[0].value
        }()
    }

    @Test(
        "A transcript of any requests is read back without a difference, with names and with pseudonyms",
        arguments: Effort.seeds(5, thorough: 20)
    )
    func agrees(seed: UInt64) throws {
        var world = try World(seed: seed)
        try world.run(150)
        for names in [Transcript.Names.kept, .pseudonyms(TranscriptKey())] {
            let file = try Self.file(world.recorder.all, names: names)
            defer { try? FileManager.default.removeItem(at: file) }
            let report = try Self.replay(file)
            #expect(report.differences == [])
            #expect(report.exchanges > 100)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("Query-Secret") && !text.contains("first-jdoe"))
        }
    }

    @Test("A replay notices a decision that would be another now") func notices() throws {
        var stories: [String] = []
        /// The first story that contains `word`; another one is made only where those that are there do not.
        func story(with word: String) throws -> String? {
            if let found = stories.first(where: { $0.contains(word) }) { return found }
            while stories.count < 10 {
                var world = try World(seed: UInt64(stories.count + 1))
                try world.run(150)
                let file = try Self.file(world.recorder.all)
                defer { try? FileManager.default.removeItem(at: file) }
                stories.append(try String(contentsOf: file, encoding: .utf8))
                if let last = stories.last, last.contains(word) { return last }
            }
            return nil
        }
        let file = TemporaryFolder.place("transcript", extension: ".ndjson")
        defer { try? FileManager.default.removeItem(at: file) }
        for (word, other) in [
            (#""reason":"site-not-allowed""#, #""reason":"cleartext""#),
            (#""verdict":"accepted""#, #""verdict":"passed""#),
            (#""value":"ntlm <redacted>""#, #""value":"basic <redacted>""#),
            (#""account":"jdoe"},"#, #""account":"other"},"#),
        ] {
            let original = try #require(try story(with: word), "\(word)")
            try Data(original.replacingOccurrences(of: word, with: other).utf8).write(to: file)
            #expect(try !Self.replay(file).differences.isEmpty, "\(word)")
        }
    }

    @Test(
        "What cannot be replayed is one error with its place",
        arguments: [
            (#""profile":([0-9]+),"sites":\["#, #""profile":$1,"sites":null,"ignored":["#, "--profile"),
            (#""type":"profile""#, #""type":"note""#, "--profile"),
            (#""redacted":true"#, #""redacted":false"#, ":2: "), (#""userForm":"bare""#, #""userForm":"odd""#, "odd"),
            (#""security":"leaf""#, #""security":"odd""#, "odd"), (#""type":"response""#, #""type":"other""#, "other"),
        ]
    )
    func errors(_ word: String, _ other: String, _ part: String) throws {
        var world = try World(seed: 5)
        try world.run(60)
        let file = try Self.file(world.recorder.all)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = try String(contentsOf: file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: word, with: other, options: .regularExpression)
        #expect(changed != text)
        try Data(changed.utf8).write(to: file)
        let error = #expect(throws: (any Error).self) { try Self.replay(file) }
        #expect(error.map { "\($0)".contains(part) } == true, "\(error.map { "\($0)" } ?? "no error")")
    }
}
