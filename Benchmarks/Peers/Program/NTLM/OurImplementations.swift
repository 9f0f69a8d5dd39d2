internal import BenchmarkSupport
internal import InsecureDigests
internal import NTLM
internal import PeerComparison

/// Our own ways of doing each operation.
struct OurImplementations {
    private let fixture: NTLMFixture
    private let guesses: GuessFixture
    private let logInGuesses: GuessFixture

    init(_ fixture: NTLMFixture) throws {
        self.fixture = fixture
        guesses = try .hashcat()
        logInGuesses = try .logIn(fixture)
    }

    /// Everything, with the best kernel of this machine.
    var all: [MeasuredImplementation] {
        singles + [
            hashes(64), hashes(1024), rawHashes(), start,
            authenticate, authenticateBatch(16, Operation.authenticateBatch16),
            authenticateBatch(64, Operation.authenticateBatch64),
            verify, verifyBatch(16, Operation.verifyBatch16), verifyBatch(64, Operation.verifyBatch64),
            audit(guesses, Operation.guess), audit(logInGuesses, Operation.guessLogIn),
        ]
    }

    /// What can be done with a kernel that is not the best one.
    func all(_ kernel: LaneKernel) -> [MeasuredImplementation] {
        let who = Operation.ours("\(kernel)")
        let guesses = guesses
        return [
            hashes(64, kernel, who: who), hashes(1024, kernel, who: who), rawHashes(kernel, who: who),
            MeasuredImplementation(who, Operation.guess, items: guesses.passwords.count, prepare: {}) { _ in
                guesses.guess(kernel)
            },
        ]
    }

    /// How many bytes stand under the proof of each recorded response.
    var guessedBytes: (hashcat: Int, logIn: Int) { (guesses.byteCount, logInGuesses.byteCount) }

    private var singles: [MeasuredImplementation] {
        let password = NTLMFixture.password
        let key = HMACMD5.Key([UInt8](repeating: 1, count: Digest16.count).span)
        let blob = [UInt8](repeating: 5, count: 200)
        let holder = KeyHolder(key)
        let text = Digest16(low: 1, high: 2)
        return [
            MeasuredImplementation(Operation.ours, Operation.hash) { count in
                var sum = 0
                for _ in 0..<count { sum &+= (try? NTHash.withHash(of: password) { Int($0[0]) }) ?? 0 }
                return sum
            },
            MeasuredImplementation(Operation.ours, Operation.proof) { count in
                var sum = 0
                for _ in 0..<count {
                    let proof = HMACMD5.authenticate(blob.span, key: holder.key)
                    let session = proof.withBytes { HMACMD5.authenticate($0, key: holder.key) }
                    sum &+= Int(truncatingIfNeeded: session.low)
                }
                return sum
            },
            MeasuredImplementation(Operation.ours, Operation.rc4) { count in
                var key = text
                for _ in 0..<count { key = RC4.exchange(text, key: key) }
                return Int(truncatingIfNeeded: key.low)
            },
        ]
    }

    /// A closure cannot capture a noncopyable value that it does not consume.
    private final class KeyHolder: Sendable {
        let key: HMACMD5.Key
        init(_ key: consuming HMACMD5.Key) { self.key = key }
    }

    private func hashes(_ count: Int, _ kernel: LaneKernel = .best, who: String = Operation.ours)
        -> MeasuredImplementation
    {
        let passwords = (0..<count).map { "password\(1000 + $0)" }
        let operation = count == 64 ? Operation.hashBatch64 : Operation.hashBatch1024
        return Self.batch(who, operation, items: count) {
            MD4.hashes(utf16: passwords[...], kernel: kernel).digests.count
        }
    }

    private func rawHashes(_ kernel: LaneKernel = .best, who: String = Operation.ours) -> MeasuredImplementation {
        let count = 1024
        let bytes = [UInt8](repeating: 0x61, count: count * 2 * NTLMFixture.password.utf16.count)
        return Self.batch(who, Operation.rawBatch1024, items: count) {
            Int(truncatingIfNeeded: MD4.hashes(of: bytes.span, count: count, kernel: kernel)[count - 1].low)
        }
    }

    /// A batch that leaves its input as it is.
    private static func batch(
        _ who: String,
        _ operation: String,
        items: Int,
        perform: @escaping () -> Int
    ) -> MeasuredImplementation {
        MeasuredImplementation(who, operation, items: items) { repetitions in
            var sum = 0
            for _ in 0..<repetitions { sum &+= perform() }
            return sum
        }
    }

    private var start: MeasuredImplementation {
        let fixture = fixture
        return MeasuredImplementation(Operation.ours, Operation.start) { count in
            var sum = 0
            for _ in 0..<count { sum &+= fixture.client().sessionKeys == nil ? 1 : 2 }
            return sum
        }
    }

    private var authenticate: MeasuredImplementation {
        let fixture = fixture
        return MeasuredImplementation(Operation.ours, Operation.authenticate, prepare: { fixture.client() }) { client in
            let text = try? client.authenticateBase64(
                challenge: fixture.challenge.span,
                now: fixture.now,
                prefix: "NTLM "
            )
            return text?.utf8.count ?? 0
        }
    }

    private func authenticateBatch(_ items: Int, _ operation: String) -> MeasuredImplementation {
        let fixture = fixture
        let challenges = [[UInt8]](repeating: fixture.challenge, count: items)
        return MeasuredImplementation(
            Operation.ours,
            operation,
            items: items,
            prepare: { (0..<items).map { _ in fixture.client() } },
            perform: { clients in
                ResponseBatch.authenticateBase64(&clients, challenges: challenges, now: fixture.now, prefix: "NTLM ")
                    .count
            }
        )
    }

    private var verify: MeasuredImplementation {
        let fixture = fixture
        let hash = fixture.hash
        return MeasuredImplementation(Operation.ours, Operation.verify, prepare: { fixture.server() }) { server in
            let client = try? server.verify(authenticate: fixture.authenticate.span, now: fixture.now) { _, _ in hash }
            return client?.user.utf8.count ?? 0
        }
    }

    private func verifyBatch(_ items: Int, _ operation: String) -> MeasuredImplementation {
        let fixture = fixture
        let hash = fixture.hash
        let messages = [[UInt8]](repeating: fixture.authenticate, count: items)
        return MeasuredImplementation(
            Operation.ours,
            operation,
            items: items,
            prepare: { (0..<items).map { _ in fixture.server() } },
            perform: { servers in
                ResponseBatch.verify(&servers, authenticates: messages, now: fixture.now) { _, _ in hash }.count
            }
        )
    }

    private func audit(_ guesses: GuessFixture, _ operation: String) -> MeasuredImplementation {
        Self.batch(Operation.ours, operation, items: guesses.passwords.count) {
            guesses.audit.firstMatch(among: guesses.passwords) ?? -1
        }
    }
}
