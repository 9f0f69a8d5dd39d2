internal import BenchmarkSupport
internal import InsecureDigests
internal import NTLM
internal import PeerComparison

/// Hashes, proofs, whole messages and batches, by the log-in of ``NTLMFixture``.
enum NTLMOperations {
    static func all() throws -> [HotOperation] {
        let fixture = try NTLMFixture(now: HotOperation.now)
        var operations = [
            hash(characters: 12), hash(characters: 64), proof(blob: 64), proof(blob: 200), proof(blob: 800),
        ]
        operations += [rc4(), start(fixture), authenticate(fixture), verify(fixture), hashes(64), hashes(1024)]
        operations += [authenticates(fixture, 16), verifies(fixture, 16)]
        return operations
    }

    private static func hash(characters: Int) -> HotOperation {
        let password = String(repeating: "correct hors", count: 6).prefix(characters).description
        precondition((try? NTHash(password: password)) != nil, "no hash of \(characters) characters")
        return operation("NTHash.withHash/characters=\(characters)") { count in
            var sum = 0
            for _ in 0..<count { sum &+= (try? NTHash.withHash(of: password) { Int($0[0]) }) ?? 0 }
            return sum
        }
    }

    private static func proof(blob count: Int) -> HotOperation {
        let holder = KeyHolder(HMACMD5.Key([UInt8](repeating: 1, count: Digest16.count).span))
        let blob = [UInt8](repeating: 5, count: count)
        return operation("HMACMD5.authenticate/bytes=\(count)", per: .scalar) { count in
            var sum = 0
            for _ in 0..<count {
                sum &+= Int(truncatingIfNeeded: HMACMD5.authenticate(blob.span, key: holder.key).low)
            }
            return sum
        }
    }

    private static func rc4() -> HotOperation {
        let text = Digest16(low: 1, high: 2)
        // Its own inverse, and not the text.
        let key = RC4.exchange(text, key: text)
        precondition(key.low != text.low && RC4.exchange(key, key: text).low == text.low, "RC4 does not undo itself")
        return operation("RC4.exchange/bytes=16", per: .scalar) { count in
            var key = text
            for _ in 0..<count { key = RC4.exchange(text, key: key) }
            return Int(truncatingIfNeeded: key.low)
        }
    }

    private static func start(_ fixture: NTLMFixture) -> HotOperation {
        operation("ClientHandshake.negotiate/start") { count in
            var sum = 0
            for _ in 0..<count { sum &+= fixture.client().sessionKeys == nil ? 1 : 2 }
            return sum
        }
    }

    private static func authenticate(_ fixture: NTLMFixture) -> HotOperation {
        let name = "ClientHandshake.authenticateBase64/challenge=\(fixture.challenge.count)"
        let implementation = MeasuredImplementation(HotOperation.ours, name, prepare: fixture.client) { client in
            let text = try? client.authenticateBase64(
                challenge: fixture.challenge.span,
                now: fixture.now,
                prefix: "NTLM "
            )
            return text?.utf8.count ?? 0
        }
        return HotOperation(.ntlm, implementation, per: .wide, workload: 64)
    }

    private static func verify(_ fixture: NTLMFixture) -> HotOperation {
        let hash = fixture.hash
        let name = "ServerHandshake.verify/authenticate=\(fixture.authenticate.count)"
        let implementation = MeasuredImplementation(HotOperation.ours, name, prepare: fixture.server) { server in
            let client = try? server.verify(authenticate: fixture.authenticate.span, now: fixture.now) { _, _ in hash }
            return client?.user.utf8.count ?? 0
        }
        return HotOperation(.ntlm, implementation, per: .wide, workload: 64)
    }

    private static func hashes(_ items: Int) -> HotOperation {
        let passwords = (0..<items).map { "password\(1000 + $0)" }
        let digests = Set(MD4.hashes(utf16: passwords[...]).digests.map(\.low))
        precondition(digests.count == items, "\(items) passwords have \(digests.count) hashes")
        let implementation = MeasuredImplementation(HotOperation.ours, "MD4.hashes/batch=\(items)", items: items) {
            repetitions in
            var sum = 0
            for _ in 0..<repetitions { sum &+= MD4.hashes(utf16: passwords[...]).digests.count }
            return sum
        }
        return HotOperation(.ntlm, implementation, per: .wide, workload: 1024)
    }

    private static func authenticates(_ fixture: NTLMFixture, _ items: Int) -> HotOperation {
        let challenges = [[UInt8]](repeating: fixture.challenge, count: items)
        var clients = (0..<items).map { _ in fixture.client() }
        let texts = ResponseBatch.authenticateBase64(
            &clients,
            challenges: challenges,
            now: fixture.now,
            prefix: "NTLM "
        )
        precondition(texts.allSatisfy { (try? $0.get()) != nil }, "a challenge of the batch is not answered")
        let implementation = MeasuredImplementation(
            HotOperation.ours,
            "ResponseBatch.authenticateBase64/batch=\(items)",
            items: items,
            prepare: { (0..<items).map { _ in fixture.client() } },
            perform: { clients in
                ResponseBatch.authenticateBase64(&clients, challenges: challenges, now: fixture.now, prefix: "NTLM ")
                    .count
            }
        )
        return HotOperation(.ntlm, implementation, per: .wide, workload: 64)
    }

    private static func verifies(_ fixture: NTLMFixture, _ items: Int) -> HotOperation {
        let hash = fixture.hash
        let messages = [[UInt8]](repeating: fixture.authenticate, count: items)
        var servers = (0..<items).map { _ in fixture.server() }
        let users = ResponseBatch.verify(&servers, authenticates: messages, now: fixture.now) { _, _ in hash }
        precondition(users.allSatisfy { (try? $0.get()) != nil }, "a log-in of the batch is refused")
        let implementation = MeasuredImplementation(
            HotOperation.ours,
            "ResponseBatch.verify/batch=\(items)",
            items: items,
            prepare: { (0..<items).map { _ in fixture.server() } },
            perform: { servers in
                ResponseBatch.verify(&servers, authenticates: messages, now: fixture.now) { _, _ in hash }.count
            }
        )
        return HotOperation(.ntlm, implementation, per: .wide, workload: 64)
    }

    private static func operation(
        _ name: String,
        per yardstick: Yardstick = .wide,
        perform: @escaping (_ repetitions: Int) -> Int
    ) -> HotOperation {
        HotOperation(.ntlm, MeasuredImplementation(HotOperation.ours, name, perform: perform), per: yardstick)
    }

    /// A closure cannot capture a noncopyable value that it does not consume.
    private final class KeyHolder: Sendable {
        let key: HMACMD5.Key
        init(_ key: consuming HMACMD5.Key) { self.key = key }
    }
}
