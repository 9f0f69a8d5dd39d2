import InsecureDigests
import NTLM
import TestSupport
import Testing
import WireFormat

@Suite struct ResponseBatchTests {
    private static let now = FileTime(unixSeconds: 1_700_000_000)

    /// Handshakes of many shapes: names and attributes of all lengths, with and without clock, bindings and key
    /// exchange.
    private struct Cases {
        var clients: [ClientHandshake] = []
        var accounts: [(account: NTLMAccount, options: ClientHandshake.Options)] = []
        var servers: [ServerHandshake] = []
        var challenges: [[UInt8]] = []
        var hashes: [String: NTHash] = [:]

        init(seed: UInt64, count: Int) throws {
            var generator = SeededGenerator(seed: seed)
            for number in 0..<count {
                let length = Int.random(in: 0...40, using: &generator)
                let user = "user\(number)" + String(repeating: number % 3 == 0 ? "ß" : "x", count: length)
                let hash = try NTHash(password: "secret\(number % 5)")
                hashes[user] = hash
                let account = try NTLMAccount(user: user, domain: "ACME", hash: hash)
                let options = ClientHandshake.Options(
                    targetName: number % 4 == 0 ? nil : "HTTP/" + String(repeating: "h", count: length * 3),
                    channelBindings: number % 2 == 0 ? nil : ChannelBindings(applicationData: generator.bytes(20).span)
                )
                var client = ClientHandshake(account: account, options: options)
                let negotiate = client.negotiate()
                var server = ServerHandshake(
                    options: .init(
                        computerName: "SRV",
                        domainName: "ACME",
                        dnsComputerName: String(repeating: "d", count: length),
                        sendsTimestamp: number % 7 != 0
                    )
                )
                let challenge = try server.challenge(to: negotiate.span, now: ResponseBatchTests.now)
                clients.append(client)
                accounts.append((account, options))
                servers.append(server)
                challenges.append(challenge)
            }
        }
    }

    @Test("Every answer is the one that its handshake gives by itself", arguments: UInt64(1)...12)
    func answersAgree(seed: UInt64) throws {
        let count = [1, 2, 7, 16, 63, 64, 65, 130][Int(seed % 8)]
        var cases = try Cases(seed: seed, count: count)
        let results = ResponseBatch.authenticate(&cases.clients, challenges: cases.challenges, now: Self.now)
        #expect(results.count == count)
        for number in 0..<count {
            let answer = try results[number].get()
            let read = try AuthenticateMessage(reading: answer)
            // The batch drew its nonces; the same ones, given by hand, must lead to the same bytes.
            let exported = try #require(cases.clients[number].sessionKeys?.exportedSessionKey.bytes)
            let nonces = try ClientNonces(
                clientChallenge: read.ntChallengeResponse.span.extracting(32..<40),
                exportedSessionKey: exported.span
            )
            let (account, options) = cases.accounts[number]
            var single = ClientHandshake(account: account, options: options)
            _ = single.negotiate()
            let challenge = cases.challenges[number]
            let expected = try single.authenticate(challenge: challenge.span, now: Self.now, nonces: nonces)
            #expect(answer == expected, "seed \(seed), handshake \(number)")
            #expect(cases.clients[number].sessionKeys?.sessionBaseKey.bytes == single.sessionKeys?.sessionBaseKey.bytes)
            // And a server, which knows nothing of batches, finds them right.
            let client = try cases.servers[number].verify(authenticate: answer.span, now: Self.now) { user, _ in
                cases.hashes[user]
            }
            #expect(client.user == account.user)
            #expect(cases.servers[number].sessionKeys?.exportedSessionKey.bytes == exported)
        }
    }

    @Test func base64IsTheSameMessage() throws {
        var cases = try Cases(seed: 3, count: 9)
        let results = ResponseBatch.authenticateBase64(
            &cases.clients,
            challenges: cases.challenges,
            now: Self.now,
            prefix: "NTLM "
        )
        for number in 0..<9 {
            let text = try results[number].get()
            #expect(text.hasPrefix("NTLM "))
            let answer = try Base64.decode(text.dropFirst(5))
            _ = try cases.servers[number].verify(authenticate: answer.span, now: Self.now) { user, _ in
                cases.hashes[user]
            }
        }
    }

    @Test func aFailureDisturbsNoOther() throws {
        var cases = try Cases(seed: 5, count: 20)
        cases.challenges[0].removeLast()
        cases.challenges[11] = []
        cases.clients[19] = ClientHandshake(account: cases.accounts[19].account)
        let results = ResponseBatch.authenticate(&cases.clients, challenges: cases.challenges, now: Self.now)
        for number in 0..<20 {
            switch number {
            case 0, 11:
                guard case .failure(.message) = results[number] else {
                    Issue.record("handshake \(number) was answered")
                    continue
                }
            case 19: #expect(results[number] == .failure(.wrongStep))
            default:
                let answer = try results[number].get()
                _ = try cases.servers[number].verify(authenticate: answer.span, now: Self.now) { user, _ in
                    cases.hashes[user]
                }
            }
        }
        // Each handshake was used up.
        let again = ResponseBatch.authenticate(&cases.clients, challenges: cases.challenges, now: Self.now)
        #expect(again.allSatisfy { $0 == .failure(.wrongStep) })
    }

    @Test("Every verdict is the one that its handshake gives by itself", arguments: UInt64(1)...12)
    func verdictsAgree(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = [1, 3, 16, 64, 65, 100][Int(seed % 6)]
        var cases = try Cases(seed: seed, count: count)
        var messages = try ResponseBatch.authenticate(&cases.clients, challenges: cases.challenges, now: Self.now)
            .map { try $0.get() }
        for number in 0..<count where number % 3 == 1 {
            // Proof, names, attributes, codes: whatever the byte belongs to, both ways must say the same of it.
            let place = Int.random(in: messages[number].indices, using: &generator)
            messages[number][place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        }
        var together = cases.servers.map { $0.forked() }
        let hashes = cases.hashes
        let verdicts = ResponseBatch.verify(&together, authenticates: messages, now: Self.now) { user, _ in
            user.hasPrefix("user7") ? nil : hashes[user]
        }
        var accepted = 0
        for number in 0..<count {
            let expected: Result<VerifiedClient, ServerHandshakeError>
            let message = messages[number]
            do throws(ServerHandshakeError) {
                let client = try cases.servers[number].verify(authenticate: message.span, now: Self.now) { user, _ in
                    user.hasPrefix("user7") ? nil : hashes[user]
                }
                expected = .success(client)
                accepted += 1
            } catch { expected = .failure(error) }
            #expect(verdicts[number] == expected, "seed \(seed), handshake \(number)")
            let keys = (together[number].sessionKeys, cases.servers[number].sessionKeys)
            #expect(keys.0?.exportedSessionKey.bytes == keys.1?.exportedSessionKey.bytes)
            #expect(keys.0?.sessionBaseKey.bytes == keys.1?.sessionBaseKey.bytes)
        }
        #expect(accepted > count / 3)
    }

    @Test func aReplayIsRefusedWithinOneBatch() throws {
        let window = ReplayWindow()
        let hash = try NTHash(password: "secret")
        var client = ClientHandshake(account: try NTLMAccount(user: "user", domain: "ACME", hash: hash))
        let negotiate = client.negotiate()
        var server = ServerHandshake(options: .init(computerName: "SRV", replayWindow: window))
        let challenge = try server.challenge(to: negotiate.span, now: Self.now)
        let answer = try client.authenticate(challenge: challenge.span, now: Self.now)
        var servers = [server, server.forked()]
        let verdicts = ResponseBatch.verify(&servers, authenticates: [answer, answer], now: Self.now) { _, _ in hash }
        #expect((try? verdicts[0].get())?.user == "user")
        #expect(verdicts[1] == .failure(.replayed))
        #expect(servers[0].sessionKeys != nil && servers[1].sessionKeys == nil)
    }

    @Test func nothingIsNothing() {
        var clients: [ClientHandshake] = []
        var servers: [ServerHandshake] = []
        #expect(ResponseBatch.authenticate(&clients, challenges: [], now: Self.now).isEmpty)
        #expect(ResponseBatch.verify(&servers, authenticates: [], now: Self.now) { _, _ in nil }.isEmpty)
    }
}
