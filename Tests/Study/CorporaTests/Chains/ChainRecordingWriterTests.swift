import Corpora
import Foundation
import SPKIPins
import TestLimits
import TestSupport
import Testing

@Suite struct ChainRecordingWriterTests {
    /// A folder that is gone when the test is over.
    private final class Folder {
        let url = TemporaryFolder.place("chains")
        deinit { try? FileManager.default.removeItem(at: url) }

        func text(_ name: String) throws -> String {
            try String(contentsOf: url.appending(path: name), encoding: .utf8)
        }

        func append(_ text: String, to name: String) throws {
            let file = try FileHandle(forWritingTo: url.appending(path: name))
            try file.seekToEnd()
            try file.write(contentsOf: Data(text.utf8))
            try file.close()
        }
    }

    private static func certificate(_ serial: UInt8) -> [UInt8] {
        var certificate = HandmadeCertificate()
        certificate[.serial] = der(0x02, [serial])
        certificate[.keyBits] = der(0x03, [0, serial, 2, 3, 4])
        return certificate.bytes
    }

    private static func entry(_ first: Int64, _ last: Int64, _ chain: [[UInt8]]) -> ChainRecordingWriter.Entry {
        var entry = ChainRecordingWriter.Entry(
            first: first,
            last: last,
            endpoint: RecordedEndpoint(host: "a.example", port: 8443)
        )
        entry.validated = chain
        return entry
    }

    private static func write(_ folder: Folder, _ entries: [ChainRecordingWriter.Entry]) throws {
        var writer = try ChainRecordingWriter(folder: folder.url)
        for entry in entries { try writer.add(entry) }
        try writer.commit()
    }

    private static let (leaf, other, anchor) = (certificate(1), certificate(2), certificate(3))

    @Test func whatIsWrittenCanBeRead() throws {
        let folder = Folder()
        var entry = Self.entry(1_767_225_600, 1_767_312_000, [Self.leaf, Self.anchor])
        let reserve = Pin(hashing: Self.other.span)
        entry.presented = [Self.leaf, Self.other]
        entry.label = .misissued
        entry.nextKeys = [reserve]
        entry.previousKeyLeaked = 1_767_139_200
        entry.source = "a test"
        entry.note = "with \"quotes\", a\nline and a / slash"
        try Self.write(folder, [entry])
        let recording = try ChainRecording(folder: folder.url)
        let observation = try #require(recording.observations.first)
        #expect(recording.observations.count == 1)
        #expect(recording.endpoints == [RecordedEndpoint(host: "a.example", port: 8443)])
        #expect((observation.first, observation.last) == (1_767_225_600, 1_767_312_000))
        #expect(observation.label == .misissued)
        #expect(recording.nextKeys(of: observation) == [reserve])
        #expect(recording.previousKeyLeak(of: observation) == 1_767_139_200)
        #expect(recording.source(of: observation) == "a test")
        #expect(recording.note(of: observation) == entry.note)
        // Bytes were hashed again by the reader: three certificates, each once.
        #expect(recording.certificates.count == 3)
        #expect(recording.verifiedCertificates == 3)
        let keys = recording.validatedChain(of: observation)?.map { recording.certificates[Int($0)].key }
        let expected = try [Pin(ofCertificate: Self.leaf.span), Pin(ofCertificate: Self.anchor.span)]
        #expect(keys == expected)
        #expect(recording.presentedChain(of: observation)?.count == 2)
        #expect(try folder.text("observations.ndjson").contains(#""first":"2026-01-01T00:00:00Z""#))
    }

    @Test func aSecondWriterAppendsAndRepeatsNoCertificate() throws {
        let folder = Folder()
        try Self.write(folder, [Self.entry(100, 100, [Self.leaf, Self.anchor])])
        let before = try folder.text("certificates.pem")
        try Self.write(folder, [Self.entry(200, 200, [Self.leaf, Self.anchor]), Self.entry(300, 300, [Self.other])])
        let recording = try ChainRecording(folder: folder.url)
        #expect(recording.observations.map(\.first) == [100, 200, 300])
        #expect(recording.certificates.count == 3)
        #expect(try folder.text("certificates.pem").hasPrefix(before))
    }

    @Test("A line that a crash cut short is removed", arguments: [1, 20, 90])
    func tornTailsAreTakenAway(length: Int) throws {
        let folder = Folder()
        try Self.write(folder, [Self.entry(100, 100, [Self.leaf, Self.anchor])])
        for name in ["observations.ndjson", "certificates.ndjson", "certificates.pem"] {
            try folder.append(String(try folder.text(name).prefix(length)), to: name)
        }
        try Self.write(folder, [Self.entry(200, 200, [Self.other, Self.anchor])])
        let recording = try ChainRecording(folder: folder.url)
        #expect(recording.observations.map(\.first) == [100, 200])
        #expect(recording.verifiedCertificates == 3)
    }

    @Test func aSecondWriterAtTheSameTimeIsTurnedAway() throws {
        let folder = Folder()
        var writer = try ChainRecordingWriter(folder: folder.url)
        #expect(throws: RecordingError.self) { try Self.write(folder, []) }
        try writer.add(Self.entry(100, 100, [Self.leaf]))
        try writer.commit()
    }

    @Test func aBadEntryLeavesNothing() throws {
        let folder = Folder()
        var writer = try ChainRecordingWriter(folder: folder.url)
        var wrongHost = Self.entry(1, 1, [Self.leaf])
        wrongHost.endpoint = RecordedEndpoint(host: "A.example\u{1B}", port: 443)
        let bad = [
            Self.entry(1, 1, [Self.leaf, [0x30, 0x00]]), Self.entry(2, 1, [Self.leaf]), Self.entry(1, 1, []), wrongHost,
            ChainRecordingWriter.Entry(first: 1, last: 1, endpoint: RecordedEndpoint(host: "a.example", port: 443)),
        ]
        for entry in bad {
            do {
                try writer.add(entry)
                Issue.record("added")
            } catch {
                #expect(error.path.hasSuffix("observations.ndjson"))
            }
        }
        try writer.commit()
        #expect(try folder.text("observations.ndjson").isEmpty)
        #expect(try folder.text("certificates.ndjson").isEmpty)
    }

    @Test(
        "Hosts and ports",
        arguments: [
            ("a.example", "a.example", 443), ("A.Example:8443", "a.example", 8443),
            ("[2001:db8::1]:993", "2001:db8::1", 993),
            ("2001:db8::1", "2001:db8::1", 443), ("192.0.2.1:80", "192.0.2.1", 80),
        ]
    )
    func endpoints(text: String, host: String, port: Int) {
        #expect(RecordedEndpoint(parsing: text) == RecordedEndpoint(host: host, port: port))
    }

    @Test(
        "A text that is not a host and port is an error",
        arguments: ["", ":443", "a.example:0", "a.example:65536", "a.example:x", "a b", "ü.example"]
    )
    func noEndpoints(text: String) {
        #expect(RecordedEndpoint(parsing: text) == nil)
    }

    @Test("A folder with other files is refused and stays unchanged")
    func otherFolders() throws {
        let own = #"{"time":"2026-01-31T09:30:00Z","host":"a.example","presented":["aa"]}"# + "\n"
        let cases: [(files: [String: String], problem: String)] = [
            (["events.ndjson": "{}\n", "certificates.pem": ""], "a recording of challenges"),
            (["events.ndjson": "", "observations.ndjson": own], "a recording of challenges"),
            (["notes.txt": "mine"], "'notes.txt'"), (["certificates.pem": "my own"], "'certificates.pem'"),
            (["observations.ndjson": "2026-01-01 rain\n"], "another observations.ndjson"),
            (["observations.ndjson": "2026-01-01 rain"], "another observations.ndjson"),
            (["observations.ndjson": #"{"bird":"heron"}"# + "\n"], "another observations.ndjson"),
        ]
        for (files, problem) in cases {
            let folder = Folder()
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
            for (name, text) in files { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
            let error = #expect(throws: RecordingError.self) {
                _ = try ChainRecordingWriter(folder: folder.url).appends
            }
            #expect(error?.problem.contains(problem) == true, "\(String(describing: error))")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == files.count)
            for (name, text) in files { #expect(try folder.text(name) == text) }
        }
    }

    @Test("A new folder, an empty one, one with a description, and a recording are taken")
    func ownFolders() throws {
        let folder = Folder()
        var writer = try ChainRecordingWriter(folder: folder.url)
        let appends = writer.appends
        #expect(!appends)
        try writer.add(Self.entry(0, 0, [Self.certificate(1)]))
        try writer.commit()
        _ = consume writer
        // Cut short by a crash: one line is still whole.
        try folder.append(#"{"ti"#, to: "observations.ndjson")
        #expect(try ChainRecordingWriter(folder: folder.url).appends)
        for text in ["", #"{"ti"#] {
            let begun = Folder()
            try FileManager.default.createDirectory(at: begun.url, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: begun.url.appending(path: "recording.json"))
            #expect(try !ChainRecordingWriter(folder: begun.url).appends)
            try Data(text.utf8).write(to: begun.url.appending(path: "observations.ndjson"))
            #expect(try !ChainRecordingWriter(folder: begun.url).appends)
        }
    }

    @Test("A pipe in place of a file of the recording is refused", .inTurn)
    func pipes() throws {
        for name in ["certificates.ndjson", "certificates.pem", "observations.ndjson"] {
            let folder = Folder()
            _ = try ChainRecordingWriter(folder: folder.url).appends
            try FileManager.default.removeItem(at: folder.url.appending(path: name))
            #expect(unsafe mkfifo(folder.url.appending(path: name).path, 0o600) == 0)
            #expect(throws: RecordingError.self, "\(name)") { _ = try ChainRecordingWriter(folder: folder.url).appends }
        }
    }
}
