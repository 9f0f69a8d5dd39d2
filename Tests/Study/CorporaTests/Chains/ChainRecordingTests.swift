import Corpora
import Foundation
import SPKIPins
import TestSupport
import Testing
import WireFormat

@Suite struct ChainRecordingTests {
    // What is said of the recording where it comes from (its recording.json), counted there.
    @Test func theShippedRecordingIsWhatItsOriginSays() throws {
        let recording = try ShippedChainRecording.publicSites.load()
        #expect(recording.name == "public sites 2023-2026")
        #expect(recording.observations.count == 223)
        #expect(recording.certificates.count == 185)
        #expect(
            recording.endpoints.map(\.description) == [
                "akamai.com", "amazon.com", "apple.com", "aws.amazon.com", "bing.com", "cloudflare.com", "fastly.com",
                "s3.amazonaws.com", "storage.googleapis.com",
            ]
        )
        #expect(recording.observations.first?.first == 1_699_979_657)  // 2023-11-14T16:34:17Z
        #expect(recording.observations.last?.last == 1_779_820_256)  // 2026-05-26T18:30:56Z
        #expect(recording.observations.allSatisfy { recording.validatedChain(of: $0) != nil && $0.label == .genuine })
        #expect(recording.verifiedCertificates == 0)
    }

    // MARK: - A recording written here

    static let leaf = String(repeating: "aa", count: 32)
    static let anchor = String(repeating: "bb", count: 32)

    static func certificate(_ fingerprint: String, key: Character, _ rest: String = "") -> String {
        let pin = String(repeating: key, count: 42) + "A="
        return #"{"certificate_sha256":"\#(fingerprint)","spki_sha256":"\#(pin)","key_type":"EC","key_bits":256,"#
            + #""subject":"CN=s","issuer":"CN=i","not_before":"2026-01-01T00:00:00Z","#
            + #""not_after":"2026-03-01T00:00:00Z","is_ca":false\#(rest)}"#
    }

    static let certificates = [certificate(leaf, key: "L"), certificate(anchor, key: "R")]
    static let observation =
        #"{"time":"2026-01-31T09:30:00.5Z","host":"a.example","chain":["\#(leaf)","\#(anchor)"],"label":"genuine"}"#

    private func read(
        _ observations: [String],
        certificates: [String] = Self.certificates,
        pem: String? = nil
    ) throws -> ChainRecording {
        let folder = TemporaryFolder.place("chains")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["observations.ndjson": observations, "certificates.ndjson": certificates]
        for (name, lines) in files {
            try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: name))
        }
        if let pem { try Data(pem.utf8).write(to: folder.appending(path: "certificates.pem")) }
        return try ChainRecording(folder: folder)
    }

    @Test("Lines that end with CR LF are read, and blank ones are left out") func blankLines() throws {
        let blanks = ["", "\r", " \t\r"]
        let recording = try read(
            blanks + [Self.observation + "\r"] + blanks,
            certificates: blanks + Self.certificates.flatMap { [$0 + "\r", "\r"] }
        )
        #expect(recording.observations.count == 1 && recording.certificates.count == 2)
    }

    @Test("An observation that another line says as well is read once") func repetitions() throws {
        func line(_ time: String, _ rest: String = "", chain: String = Self.leaf) -> String {
            #"{"time":"\#(time)","host":"a.example","chain":["\#(chain)","\#(Self.anchor)"]\#(rest)}"#
        }
        let (one, two) = ("2026-01-31T09:30:00Z", "2026-01-31T09:30:01Z")
        let others = [
            line(two), line(one, #","port":444"#), line(one, #","label":"rogue""#), line(one, chain: Self.anchor),
            line(one, #","presented":["\#(Self.leaf)"]"#),
            line(one, #","next_keys":["\#(String(repeating: "N", count: 42))A="]"#),
            line(one, #","previous_key_leaked":"2026-01-01T00:00:00Z""#),
            #"{"first":"\#(one)","last":"\#(two)","host":"a.example","chain":["\#(Self.leaf)","\#(Self.anchor)"]}"#,
        ]
        let same = [line(one), line(one, #","source":"x""#), line(one, #","note":"y","label":"genuine""#)]
        // Each differs from all others, so it stays; what stands between them makes no difference.
        for lines in [[line(one)] + others, others + [line(one)]] {
            let recording = try read(lines)
            #expect(recording.observations.count == 9 && recording.repeatedObservations == 0)
        }
        let recording = try read(same + others + same + others)
        #expect(recording.observations.count == 9 && recording.repeatedObservations == 13)
        #expect(try read(same).observations.count == 1)
    }

    @Test func everyFieldIsRead() throws {
        let recording = try read([
            #"{"first":"2026-02-01T00:00:00Z","last":"2026-02-03T00:00:00Z","host":"b.example","port":8443,"#
                + #""presented":["\#(Self.leaf)"],"chain":null,"label":"mis-issued","source":"lab","#
                + #""note":"a \"quoted\" \u00e9","later":{"x":[1,-2.5e3,null,{}]},"#
                + #""next_keys":["\#(String(repeating: "N", count: 42))A="]}"#,
            Self.observation,
        ])
        #expect(recording.endpoints.map(\.description) == ["a.example", "b.example:8443"])
        let first = try #require(recording.observations.first)
        #expect(first.first == 1_769_851_800)
        #expect(first.last == first.first)
        #expect(recording.validatedChain(of: first) == [0, 1])
        #expect(recording.presentedChain(of: first) == nil)
        let second = try #require(recording.observations.last)
        #expect(second.endpoint == 1)
        #expect(second.last - second.first == 2 * 86_400)
        #expect(second.label == .misissued)
        #expect(recording.validatedChain(of: second) == nil)
        #expect(recording.presentedChain(of: second) == [0])
        #expect(recording.source(of: second) == "lab")
        #expect(recording.note(of: second) == "a \"quoted\" é")
        #expect(recording.nextKeys(of: second).count == 1)
        #expect(recording.subject(of: recording.certificates[0]) == "CN=s")
        #expect(recording.certificates[0].notAfter - recording.certificates[0].notBefore == 59 * 86_400)
    }

    @Test("Times, there and back", arguments: ["1969-12-31T23:59:59Z", "2000-02-29T00:00:00Z", "2100-03-01T12:34:56Z"])
    func times(text: String) throws {
        let recording = try read([Self.observation.replacing("2026-01-31T09:30:00.5Z", with: text)])
        let seconds = try #require(recording.observations.first?.first)
        #expect(Double(seconds) == (try Date.ISO8601FormatStyle().parse(text)).timeIntervalSince1970)
        #expect(Timestamp.text(unixSeconds: seconds) == text)
    }

    @Test(
        "Each defect names its line and its field",
        arguments: [
            (observation.replacing("2026-01-31", with: "2026-02-31"), "time"),
            (observation.replacing("\"host\"", with: "\"label\":\"rogue\",\"host\""), "label"),
            (observation.replacing("\"host\"", with: "\"h\\u006fst\":\"b.example\",\"host\""), "host"),
            (observation.replacing(".5Z", with: ""), "time"),
            (
                observation.replacing("\"host\"", with: "\"previous_key_leaked\":\"2027-01-01T00:00:00Z\",\"host\""),
                "previous_key_leaked"
            ),
            (observation.replacing("a.example", with: "A.example"), "host"),
            (observation.replacing("a.example", with: "a\u{1B}[2J"), "host"),
            (observation.replacing("\"host\":\"a.example\",", with: ""), "host: missing"),
            (observation.replacing("\"host\"", with: "\"port\":65536,\"host\""), "port"),
            (observation.replacing("\"host\"", with: "\"port\":1.5,\"host\""), "port"),
            (observation.replacing("aaaa", with: "aaab"), "chain"),
            (observation.replacing("genuine", with: "good"), "label"),
            (observation.replacing("\"chain\"", with: "\"chains\""), "chain (or presented): missing"),
            (observation.replacing("\"host\"", with: "\"port\":0443,\"host\""), "port"),
            (observation.replacing("genuine", with: #"gen\xuine"#), "label"),
            // What is skipped is JSON, too.
            (observation.replacing("\"host\"", with: #""x":nul,"host""#), "not a JSON object"),
            (observation.replacing("\"host\"", with: #""x":01,"host""#), "not a JSON object"),
            (observation.replacing("\"host\"", with: #""x":1.2.3,"host""#), "not a JSON object"),
            (observation.replacing("\"host\"", with: #""x":"\ud800","host""#), "not a JSON object"),
            (observation.replacing("\"host\"", with: #""x":[1,],"host""#), "not a JSON object"),
            (observation.replacing("\"host\"", with: #""x":{"a":1,"a":2},"host""#), "not a JSON object"),
            (observation.replacing("\"host\":", with: #""host","#), "not a JSON object"),
            (observation + "x", "not a JSON object"),
            (observation + "}", "not a JSON object"),
            (observation.dropLast() + ",}", "unexpected value"),
            (String(observation.dropLast()), "not a JSON object"),
            (
                observation.replacing("{", with: "{\"x\":" + String(repeating: "[", count: 40) + ","),
                "not a JSON object"
            ),
        ]
    )
    func malformed(line: String, problem: String) throws {
        let error = try #require(throws: RecordingError.self) { try read([Self.observation, line]) }
        #expect(error.line == 2)
        #expect(error.path.hasSuffix("observations.ndjson"))
        #expect(error.problem.contains(problem), "\(error)")
        #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test(
        "A certificate's defects",
        arguments: [
            (certificates[0].replacing("aaaa", with: "zzzz"), "certificate_sha256"),
            (certificates[0].replacing("LA=", with: "LAA"), "spki_sha256"),
            (certificates[0].replacing("256,\"subject", with: "\"256\",\"subject"), "key_bits"),
            (certificates[0].replacing("\"not_after\"", with: "\"after\""), "not_after: missing"),
            (certificates[1], "earlier line"),
        ]
    )
    func malformedCertificate(line: String, problem: String) throws {
        let error = try #require(throws: RecordingError.self) {
            try read([Self.observation], certificates: [Self.certificates[1], line])
        }
        #expect(error.line == 2)
        #expect(error.problem.contains(problem), "\(error)")
    }

    @Test func aLineHasABound() throws {
        let long = Self.observation.dropLast() + #","note":"\#(String(repeating: "n", count: 2_000_000))"}"#
        let error = try #require(throws: RecordingError.self) { try read([Self.observation, String(long)]) }
        #expect(error.line == 2)
        #expect(error.problem.contains("longer than"))
    }

    @Test func aRecordingOfNothingIsNone() throws {
        let error = try #require(throws: RecordingError.self) { try read([]) }
        #expect(error.problem.contains("no observation"))
    }

    @Test func aMissingFolderSaysWhich() throws {
        let error = try #require(throws: RecordingError.self) {
            try ChainRecording(folder: URL(filePath: "/nonexistent"))
        }
        #expect(error.description.contains("/nonexistent/"))
    }

    // MARK: - Bytes

    @Test func bytesMustBeWhatIsSaidOfThem() throws {
        // A certificate of another recording that ships: its hashes are computed by the reader of that one.
        let pool = try ShippedRecording.corporateDay.load().certificates
        let (fingerprint, der) = try #require(pool.min { $0.key < $1.key })
        let pem = "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
        let line = Self.certificate(fingerprint, key: "K")
        let wrongKey = try #require(throws: RecordingError.self) {
            try read([Self.observation], certificates: Self.certificates + [line], pem: pem)
        }
        #expect(wrongKey.line == 1)
        #expect(wrongKey.problem.contains("spki_sha256"))
        let unknown = try #require(throws: RecordingError.self) { try read([Self.observation], pem: pem) }
        #expect(unknown.problem.contains("certificates.ndjson"))
        let key = try "\(Pin(ofCertificate: der.span))".dropFirst("sha256/".count)
        let right = line.replacing("\(String(repeating: "K", count: 42))A=", with: key)
        let recording = try read([Self.observation], certificates: Self.certificates + [right], pem: pem)
        #expect(recording.verifiedCertificates == 1)
    }

    @Test(
        "A line is read like Foundation reads it, whatever its spaces and escapes",
        arguments: [
            observation.replacing(":", with: " :\t ").replacing("T09 :\t 30 :\t 00.5Z", with: "T09:30:00.5Z"),
            observation.replacing("\"host\"", with: #""\u0068ost""#),
            observation.replacing("a.example", with: #"a\u002eexample"#),
            observation.replacing("genuine", with: #"genu\u0069ne"#),
            observation.replacing("\"host\"", with: #""a name longer than any that is known":"x\"y\\","host""#),
            observation.replacing("\"host\"", with: "\"note\":\"\u{1F600} \u{E9} \u{4E00}\",\"host\""),
            observation + "\r",
        ]
    )
    func leniency(line: String) throws {
        let found = try read([line])
        let plain = try read([Self.observation])
        let (one, other) = (try #require(found.observations.first), try #require(plain.observations.first))
        #expect(found.endpoints == plain.endpoints)
        #expect(one.first == other.first && one.label == other.label)
        #expect(found.validatedChain(of: one) == plain.validatedChain(of: other))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(found.note(of: one) == object?["note"] as? String ?? "")
    }

    @Test("Invalid UTF-8 is an error") func brokenText() throws {
        let folder = TemporaryFolder.place("chains")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let line = Data(Self.observation.dropLast().utf8) + Data(#","note":""#.utf8) + [0xFF] + Data("\"}".utf8)
        try line.write(to: folder.appending(path: "observations.ndjson"))
        try Data(Self.certificates.joined(separator: "\n").utf8).write(
            to: folder.appending(path: "certificates.ndjson")
        )
        let error = try #require(throws: RecordingError.self) { try ChainRecording(folder: folder) }
        #expect(error.line == 1)
        #expect(error.problem.contains("note"))
    }

    @Test("A repeated name in the facts of a certificate or of the recording is an error")
    func repeatedNames() throws {
        let twice = Self.certificate(Self.leaf, key: "L", #","is_ca":true"#)
        let error = #expect(throws: RecordingError.self) {
            try read([Self.observation], certificates: [twice, Self.certificates[1]])
        }
        #expect(error?.line == 1 && error?.problem == "is_ca: stands twice in this object: keep one")
        let folder = TemporaryFolder.place("chains")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("{\n\"name\":\"a\",\n\"name\":\"b\"}".utf8).write(to: folder.appending(path: "recording.json"))
        let described = #expect(throws: RecordingError.self) { try ChainRecording(folder: folder) }
        #expect(described?.line == 3 && described?.problem == "'name' stands twice in one object: keep one")
    }
}
