import Credentials
import Foundation
import LiveServers
import SmartCards
import Testing

/// OpenSSL, an independent implementation, verifies what keys of SoftHSM sign.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct CardSignatureTests {
    /// The options with which OpenSSL verifies a signature, and the digest.
    private static func options(_ algorithm: SigningAlgorithm) -> (digest: String, options: [String]) {
        func pss(_ digest: String) -> [String] {
            ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest", "rsa_mgf1_md:\(digest)"].flatMap { ["-sigopt", $0] }
        }
        return switch algorithm {
        case .rsaPKCS1SHA256, .ecdsaP256SHA256: ("-sha256", [])
        case .rsaPKCS1SHA384, .ecdsaP384SHA384: ("-sha384", [])
        case .rsaPKCS1SHA512, .ecdsaP521SHA512: ("-sha512", [])
        case .rsaPSSSHA256: ("-sha256", pss("sha256"))
        case .rsaPSSSHA384: ("-sha384", pss("sha384"))
        case .rsaPSSSHA512: ("-sha512", pss("sha512"))
        }
    }

    private static func verify(_ cards: SoftCards, _ key: CardKey, _ name: String, counting count: Int) async throws {
        try Data(key.publicKeyInfo).write(to: cards.folder.appending(path: "public.der"))
        for algorithm in key.algorithms {
            let (digest, options) = options(algorithm)
            for number in 0..<count {
                let message = Array("message \(number) \(UUID())".utf8)
                let signature = try await key.sign(message, with: algorithm)
                try Data(message).write(to: cards.folder.appending(path: "message"))
                try Data(signature).write(to: cards.folder.appending(path: "signature"))
                let command =
                    ["openssl", "dgst", digest, "-verify", "public.der", "-keyform", "DER"] + options
                    + ["-signature", "signature", "message"]
                #expect(try cards.run(command) == "Verified OK\n", "\(algorithm)")
            }
        }
        // The public key is that of the certificate.
        let info = try cards.run(
            "sh",
            "-c",
            "openssl x509 -in \(name).crt -noout -pubkey | openssl pkey -pubin -outform DER | od -An -v -tx1"
        )
        #expect(info.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) } == key.publicKeyInfo)
    }

    @Test("Each kind of key, with digests that are made here", arguments: SoftCards.Kind.allCases)
    func verified(kind: SoftCards.Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            try await withSoftCards { cards in
                try cards.provision(kind)
                let identity = try await cards.open().identity(named: "laptop")
                #expect(identity.key.algorithms.count == (kind == .rsa ? 6 : 1))
                #expect(identity.identity.name == "laptop" && identity.id == [1])
                #expect(
                    identity.identity.certificateChain == [
                        try cards.bytes("\(kind).der"), try cards.bytes("issuer.der"),
                    ]
                )
                // Of 40 ECDSA signatures some have numbers with leading zeros or a high bit.
                try await Self.verify(cards, identity.key, kind.rawValue, counting: kind == .rsa ? 2 : 40)
            }
        }
    }

    @Test("A key that asks for the PIN before each signature gets it", arguments: [SoftCards.Kind.rsa, .p256])
    func careful(kind: SoftCards.Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            try await withSoftCards { cards in
                try cards.provision(kind, asksAlways: true)
                let identity = try await cards.open().identity(named: "laptop")
                try await Self.verify(cards, identity.key, kind.rawValue, counting: 2)
            }
        }
    }

    @Test("Each kind of key, with messages that the card hashes", arguments: [SoftCards.Kind.rsa])
    func whole(kind: SoftCards.Kind) async {
        await #expect(processExitsWith: .success) { [kind] in
            try await withSoftCards { cards in
                try cards.provision(kind)
                let module = try cards.makeFaultyModule()
                cards.set("FAULTY_NO_RAW", "1")
                let key = try await cards.open(module: module).identity(named: "laptop").key
                #expect(key.algorithms.count == 6)
                try await Self.verify(cards, key, kind.rawValue, counting: 2)
            }
        }
    }

    @Test("A card without a mechanism has fewer algorithms or no identity")
    func fewerMechanisms() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.rsa)
                try cards.provision(.p256, id: "02", label: "second")
                let module = try cards.makeFaultyModule()
                cards.set("FAULTY_NO_PSS", "1")
                let card = try await cards.open("pkcs11:token=work;id=%01", module: module)
                let key = try await card.identity(named: "laptop").key
                #expect(key.algorithms == [.rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512])
                await #expect {
                    try await key.sign([1], with: .rsaPSSSHA256)
                } throws: {
                    ($0 as? SmartCardError)?.problem == .unsupportedAlgorithm(.rsaPSSSHA256)
                }
                // SoftHSM hashes no messages for ECDSA.
                cards.set("FAULTY_NO_RAW", "1")
                let second = try await cards.open("pkcs11:token=work;object=second", module: module).contents()
                #expect(second.identities.isEmpty && second.unusable.map(\.problem) == [.unsupportedKey])
            }
        }
    }

    @Test("Sixteen tasks sign at once, and each gets its own signature")
    func parallel() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                try cards.provision(.rsa, id: "02", label: "second")
                let contents = try await cards.open().contents()
                #expect(contents.identities.map(\.identity.name).sorted() == ["laptop 7", "second"])
                let keys = contents.identities.map(\.key)
                // The library checks each signature with the public key, so that one of another message would be an error.
                let signatures = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for task in 0..<16 {
                        let key = keys[task % keys.count]
                        group.addTask { try await key.sign(Array("task \(task)".utf8), with: key.algorithms[0]) }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(signatures.count == 16)
            }
        }
    }

    @Test("Two open cards of one module sign at the same time; the module ends with the last")
    func severalCards() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                try cards.initialize("other")
                try cards.provision(.p384, card: "other")
                let module = try cards.makeFaultyModule()
                do {
                    let first = try await cards.open(module: module).identity(named: "a").key
                    let second = try await cards.open("pkcs11:token=other", module: module).identity(named: "b").key
                    async let one = first.sign([1, 2], with: .ecdsaP256SHA256)
                    async let two = second.sign([1, 2], with: .ecdsaP384SHA384)
                    let signatures = try await [one, two]
                    #expect(signatures.allSatisfy { !$0.isEmpty })
                    let all = try await SmartCard.cards(ofModule: module, within: .seconds(600))
                    #expect(Set(all.map(\.label)) == ["work", "other"])
                }
                // The sessions end on the threads of the cards.
                var calls = cards.calls()
                try await eventually("the module is left: \(calls)") {
                    calls += cards.calls()
                    return calls.contains("f")
                }
                #expect(calls.filter { "iocf".contains($0) } == "ioocf".replacing("cf", with: "ccf"), "\(calls)")
            }
        }
    }
}
