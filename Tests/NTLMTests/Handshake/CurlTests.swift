import Foundation
import NTLM
import Testing
import WireFormat

/// Whether the curl of this machine still speaks NTLM.
private enum CurlPeer {
    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "command -v python3 && curl --version | grep -qw NTLM"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

@Suite("curl as a client of our server", .enabled(if: CurlPeer.isInstalled, "curl with NTLM, or python3, is missing"))
struct CurlTests {
    private static let now = FileTime(unixSeconds: Int64(Date().timeIntervalSince1970))

    /// What came of one run of curl.
    private struct Outcome: Equatable {
        var status: String
        var error: ServerHandshakeError?
        var user: String?
    }

    private func run(user: String, password: String, sendsTimestamp: Bool) throws -> Outcome {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Oracles/curl_front.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(percentEncoded: false), user, password]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { process.waitUntilExit() }

        var server = ServerHandshake(options: .init(computerName: "WIKI", sendsTimestamp: sendsTimestamp))
        let hash = try NTHash(password: "Password")
        var outcome = Outcome(status: "")
        while let line = readLine(from: output.fileHandleForReading) {
            guard line.count > 3 else {
                outcome.status = line
                break
            }
            let token = try Base64.decode(line)
            var reply = "no"
            do {
                if token.count > 8, token[8] == 1 {
                    let challenge = try server.challenge(to: token.span, now: Self.now)
                    reply = Base64.encode(challenge.span)
                } else {
                    let client = try server.verify(authenticate: token.span, now: Self.now) { user, domain in
                        user == "ada" && domain == "ACME" ? hash : nil
                    }
                    outcome.user = client.user
                    reply = "ok"
                }
            } catch { outcome.error = error }
            try input.fileHandleForWriting.write(contentsOf: Data((reply + "\n").utf8))
        }
        return outcome
    }

    private func readLine(from file: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = try? file.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    @Test func theRightPasswordGetsIn() throws {
        let outcome = try run(user: "ACME\\ada", password: "Password", sendsTimestamp: false)
        #expect(outcome == Outcome(status: "200", error: nil, user: "ada"))
    }

    @Test func theWrongPasswordDoesNot() throws {
        let outcome = try run(user: "ACME\\ada", password: "wrong", sendsTimestamp: false)
        #expect(outcome == Outcome(status: "401", error: .rejected, user: nil))
    }

    @Test func aMissingDomainDoesNot() throws {
        let outcome = try run(user: "ada", password: "Password", sendsTimestamp: false)
        #expect(outcome == Outcome(status: "401", error: .rejected, user: nil))
    }

    @Test("curl writes no integrity code, which is due after our clock") func withoutCode() throws {
        let outcome = try run(user: "ACME\\ada", password: "Password", sendsTimestamp: true)
        #expect(outcome == Outcome(status: "401", error: .messageIntegrityCodeMissing, user: nil))
    }
}
