import Foundation
import InsecureDigests
import NTLM
import Secrets
import TestLimits
import TestSupport
import Testing
import WireFormat

@Suite("pyspnego as a client of our server", .inTurn, .enabled(if: PythonPeer.isInstalled, PythonPeer.isMissing))
struct PyspnegoInitiatorTests {
    /// What `pyspnego_initiator.py` reads.
    struct Case: Encodable {
        var seed: Int
        var name, password: String
        var now: UInt64
        var applicationData: String?
        var challenge: String?
    }
    struct Opening: Decodable { var negotiate: String }
    struct Answer: Decodable { var authenticate, sessionKey, sealed: String }

    private static let now = FileTime(rawValue: 133_500_000_000_000_000)
    private static let ours: [UInt8] = [0, 0x11, 0xaa]

    /// What must come of a case.
    private func expected(_ each: Case, isRequired: Bool) -> ServerHandshakeError? {
        switch each.applicationData {
        case "0011aa": break
        case nil: if isRequired { return .channelBindingsMissing }
        default: return .channelBindingsMismatch
        }
        return each.seed % 5 == 4 ? .rejected : nil
    }

    @Test("Right and wrong passwords, bindings right, wrong and none", arguments: [true, false])
    func logsIn(isRequired: Bool) throws {
        let users = ["ada", "łukasz", "Żółw", "елена"]
        var cases = (0..<40).map { seed in
            Case(
                seed: seed,
                name: "ACME\\" + users[seed % users.count],
                password: seed % 5 == 4 ? "wrong" : "Pässwörd",
                now: Self.now.rawValue,
                applicationData: ["0011aa", "0011ab", nil][seed % 3]
            )
        }
        let openings: [Opening] = try exchange(cases)
        let bindings = [ChannelBindings(applicationData: [9].span), ChannelBindings(applicationData: Self.ours.span)]
        let window = ReplayWindow()
        var servers: [ServerHandshake] = []
        for index in cases.indices {
            var server = ServerHandshake(
                options: .init(
                    computerName: "WIKI",
                    domainName: "ACME",
                    dnsComputerName: "wiki.acme.example",
                    dnsDomainName: "acme.example",
                    channelBindings: isRequired ? .required(bindings) : .accepted(bindings),
                    replayWindow: window
                )
            )
            let negotiate = try Hexadecimal.decode(openings[index].negotiate)
            let challenge = try server.challenge(to: negotiate.span, now: Self.now)
            cases[index].challenge = Hexadecimal.encode(challenge.span)
            servers.append(server)
        }
        let answers: [Answer] = try exchange(cases)
        let hash = try NTHash(password: "Pässwörd")
        var outcomes: Set<String> = []
        for index in cases.indices {
            let note: Comment = "seed \(cases[index].seed)"
            let authenticate = try Hexadecimal.decode(answers[index].authenticate)
            var failure: ServerHandshakeError?
            do {
                let client = try servers[index].verify(authenticate: authenticate.span, now: Self.now) { user, domain in
                    users.contains(user) && domain == "ACME" ? hash : nil
                }
                #expect(client.domain + "\\" + client.user == cases[index].name, note)
                #expect(client.targetName == "http/wiki.acme.example", note)
                #expect(client.hasMessageIntegrityCode, note)
                #expect(client.isBoundToChannel == (cases[index].applicationData != nil), note)
                let key = servers[index].sessionKeys?.exportedSessionKey.withBytes { Hexadecimal.encode($0) }
                #expect(key == answers[index].sessionKey, note)
                let sealed = try Hexadecimal.decode(answers[index].sealed)
                var session = servers[index].sessionSecurity()
                let message = try session?.unseal(sealed.span)
                #expect(message == [UInt8]("over the wire".utf8), note)
            } catch let error as ServerHandshakeError { failure = error }
            #expect(failure == expected(cases[index], isRequired: isRequired), note)
            outcomes.insert("\(String(describing: failure))")
        }
        #expect(outcomes.count == (isRequired ? 4 : 3))
    }

    private func exchange<Line: Decodable>(_ cases: [Case]) throws -> [Line] {
        let file = TemporaryFolder.place("sallyport-ntlm")
        defer { try? FileManager.default.removeItem(at: file) }
        let encoder = JSONEncoder()
        var text = Data()
        for each in cases { text.append(try encoder.encode(each) + [UInt8(ascii: "\n")]) }
        try text.write(to: file)
        return try PythonPeer.lines("pyspnego_initiator.py", file.path(percentEncoded: false))
    }
}
