internal import InsecureDigests
internal import PeerComparison

/// What is compared: names for the measurement file, which peers write as well, and what each means.
enum Operation {
    static let hash = "nt-hash"
    static let hashBatch64 = "nt-hash/batch=64"
    static let hashBatch1024 = "nt-hash/batch=1024"
    static let rawBatch1024 = "nt-hash-of-bytes/batch=1024"
    static let proof = "proof-and-key/blob=200"
    static let rc4 = "rc4/key=16/N=16"
    static let start = "handshake-start"
    static let authenticate = "authenticate"
    static let authenticateBatch16 = "authenticate/batch=16"
    static let authenticateBatch64 = "authenticate/batch=64"
    static let verify = "verify"
    static let verifyBatch16 = "verify/batch=16"
    static let verifyBatch64 = "verify/batch=64"
    static let guess = "guess/blob=43"
    static let guessLogIn = "guess/log-in"

    static let titles: [(name: String, title: String)] = [
        (hash, "NT hash, 12 characters"),
        (hashBatch64, "NT hash, batch of 64"),
        (hashBatch1024, "NT hash, batch of 1024"),
        (rawBatch1024, "NT hash of UTF-16 that is there, batch of 1024"),
        (proof, "NTProofStr and session key, 200 bytes, key cached"),
        (rc4, "RC4 key and 16 bytes"),
        (start, "handshake and NEGOTIATE"),
        (authenticate, "AUTHENTICATE"),
        (authenticateBatch16, "AUTHENTICATE, batch of 16"),
        (authenticateBatch64, "AUTHENTICATE, batch of 64"),
        (verify, "verify"),
        (verifyBatch16, "verify, batch of 16"),
        (verifyBatch64, "verify, batch of 64"),
        (guess, "NTLMv2 from a password, 43 bytes under the proof"),
        (guessLogIn, "NTLMv2 from a password, the log-in above"),
    ]

    static let ours = "Sallyport"
    static let openSSL = "OpenSSL, low level"
    static let openSSLEVP = "OpenSSL, one call"

    /// Our implementation with a named kernel.
    static func ours(_ kernel: String) -> String { "\(ours), \(kernel)" }

    private static let go = "go-ntlmssp"
    private static let gss = "gss-ntlmssp"
    private static let hashcat = "hashcat"

    /// The goals of a machine whose widest kernel is `kernel`. Rates of batches are set for AVX-512; a quarter of them
    /// is due without it. What others take is measured here, and stays as it is.
    static func goals(widest kernel: LaneKernel) -> [Goal] {
        let isWide = kernel == .avx512
        let hashRate = Goal.Bound.nanoseconds(isWide ? 2.5 : 10)
        let hashText = isWide ? "at least 400 M/s" : "at least 100 M/s, without AVX-512"
        let answerTime = Goal.Bound.nanoseconds(isWide ? 500 : 2000)
        let answerText = isWide ? "at most 0.5 µs" : "at most 2 µs, without AVX-512"
        let hashcatHash = Goal.Bound.times(1 / 0.6, who: hashcat, operation: hashBatch1024)
        return [
            Goal(ours, hash, "at most 1.3 × OpenSSL's MD4()", .times(1.3, who: openSSL, operation: hash)),
            Goal(ours, hash, "at least 4 × go-ntlmssp", .times(1 / 4, who: go, operation: hash)),
            Goal(ours, hash, "no allocation", .allocations(0)),
            Goal(ours, hashBatch64, hashText, hashRate),
            Goal(ours, hashBatch64, "at least 0.6 × hashcat -m 1000", hashcatHash),
            Goal(ours, hashBatch1024, hashText, hashRate),
            Goal(ours, hashBatch1024, "at least 0.6 × hashcat -m 1000", hashcatHash),
            Goal(ours, rawBatch1024, hashText, hashRate),
            Goal(ours, rawBatch1024, "at least 0.6 × hashcat -m 1000", hashcatHash),
            Goal(ours, proof, "at most 1.1 × OpenSSL, low level", .times(1.1, who: openSSL, operation: proof)),
            Goal(ours, proof, "no allocation", .allocations(0)),
            Goal(ours, authenticate, "at most 2.6 µs", .nanoseconds(2600)),
            Goal(ours, authenticate, "at least 4 × go-ntlmssp", .times(1 / 4, who: go, operation: authenticate)),
            Goal(ours, authenticate, "at least 10 × gss-ntlmssp", .times(1 / 10, who: gss, operation: authenticate)),
            Goal(ours, authenticate, "at most 1 allocation", .allocations(1)),
            Goal(ours, authenticateBatch16, answerText, answerTime),
            Goal(ours, authenticateBatch64, answerText, answerTime),
            Goal(ours, verify, "at most 3.5 µs", .nanoseconds(3500)),
            Goal(ours, verify, "at least 80 × gss-ntlmssp", .times(1 / 80, who: gss, operation: verify)),
            Goal(ours, guess, "at least 2 × hashcat -m 5600", .times(1 / 2, who: hashcat, operation: guess)),
        ] + (isWide ? narrowGoals : [])
    }

    /// What AVX2 has to reach beside AVX-512; checked when it is named as a kernel to measure.
    private static let narrowGoals = [
        Goal(ours("avx2"), hashBatch1024, "a quarter of the widest", .times(4, who: ours, operation: hashBatch1024)),
        Goal(ours("avx2"), guess, "a quarter of the widest", .times(4, who: ours, operation: guess)),
    ]
}
