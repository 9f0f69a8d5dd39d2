import Foundation
import InsecureDigests
import NTLM
import Secrets
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite("pyspnego as a server", .inTurn, .enabled(if: PythonPeer.isInstalled, PythonPeer.isMissing))
struct PyspnegoServerTests {
    /// What `pyspnego_server.py` reads.
    struct Case: Encodable {
        var seed: Int
        var domain, user, password: String
        var now: UInt64
        var applicationData: String?
        var negotiate: String
        var authenticate: String?
    }
    struct Answer: Decodable { var challenge: String }
    struct Verdict: Decodable {
        var complete: Bool
        var sessionKey: String
    }

    private static let now: UInt64 = 133_500_000_000_000_000

    @Test("Our messages log in, code, bindings and session key included; a wrong password does not")
    func logsIn() throws {
        var cases = (1...20).map { seed in
            Case(
                seed: seed,
                domain: seed % 3 == 0 ? "" : "ACME",
                user: seed % 2 == 0 ? "ada" : "łukasz",
                password: "Pässwörd \(seed)",
                now: Self.now,
                applicationData: seed % 4 == 0 ? "0011aa" : nil,
                negotiate: ""
            )
        }
        var handshakes: [ClientHandshake] = []
        for index in cases.indices {
            var options = ClientHandshake.Options(
                targetName: "HTTP/wiki.acme.example",
                workstation: index % 2 == 0 ? "PC" : nil
            )
            if let text = cases[index].applicationData {
                let data = try Hexadecimal.decode(text)
                options.channelBindings = ChannelBindings(applicationData: data.span)
            }
            let password = isWrong(index) ? "wrong" : cases[index].password
            let account = try NTLMAccount(
                user: cases[index].user,
                domain: cases[index].domain,
                hash: NTHash(password: password)
            )
            var handshake = ClientHandshake(account: account, options: options)
            let negotiate = handshake.negotiate()
            cases[index].negotiate = Hexadecimal.encode(negotiate.span)
            handshakes.append(handshake)
        }
        let answers: [Answer] = try exchange(cases)
        #expect(answers.count == cases.count)
        for index in cases.indices {
            let challenge = try Hexadecimal.decode(answers[index].challenge)
            let authenticate = try handshakes[index].authenticate(
                challenge: challenge.span,
                now: FileTime(rawValue: Self.now)
            )
            cases[index].authenticate = Hexadecimal.encode(authenticate.span)
        }
        let verdicts: [Verdict] = try exchange(cases)
        for index in cases.indices {
            let note: Comment = "seed \(cases[index].seed): \(verdicts[index].sessionKey)"
            #expect(verdicts[index].complete != isWrong(index), note)
            guard !isWrong(index) else { continue }
            let key = handshakes[index].sessionKeys?.exportedSessionKey.withBytes { Hexadecimal.encode($0) }
            #expect(verdicts[index].sessionKey == key, note)
        }
    }

    private func isWrong(_ index: Int) -> Bool { index % 5 == 4 }

    private func exchange<Line: Decodable>(_ cases: [Case]) throws -> [Line] {
        let file = TemporaryFolder.place("sallyport-ntlm")
        let users = file.appendingPathExtension("users")
        defer {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: users)
        }
        let encoder = JSONEncoder()
        var text = Data()
        for each in cases { text.append(try encoder.encode(each) + [UInt8(ascii: "\n")]) }
        try text.write(to: file)
        return try PythonPeer.lines("pyspnego_server.py", file.path(percentEncoded: false))
    }
}
