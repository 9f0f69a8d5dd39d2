import Credentials
import Foundation
import LiveServers
import Secrets
import SmartCards
import Testing

/// A wrong PIN is tried once, and never if it could lock the card.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct CardPINTests {
    @Test("A wrong PIN reaches the card once, the right one works afterwards")
    func wrongOnce() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                let module = try cards.makeFaultyModule()
                // SoftHSM says in its flags that a wrong PIN was given.
                #expect(try await cards.problem(pin: "wrong-1234", module: module) == .wrongPIN(.tried))
                #expect(cards.calls() == "iolcf")
                for _ in 0..<3 {
                    #expect(try await cards.problem(pin: "wrong-1234", module: module) == .refusedPIN)
                    #expect(!cards.calls().contains("l"))
                }
                #expect(try await cards.problem(pin: "other-1234", module: module) == .wrongPIN(.tried))
                #expect(try await cards.problem(pin: "other-1234", module: module) == .refusedPIN)
                #expect(cards.calls().filter { $0 == "l" } == "l")
                var options = SmartCardOptions.patient
                options.retriesRefusedPIN = true
                #expect(
                    try await cards.problem(pin: "wrong-1234", module: module, options: options) == .wrongPIN(.tried)
                )
                #expect(cards.calls().filter { $0 == "l" } == "l")
                #expect(try await cards.problem(module: module) == nil)
                // The right PIN ends what is remembered, because the PIN may have been changed in between.
                #expect(try await cards.problem(pin: "wrong-1234", module: module) == .wrongPIN(.tried))
            }
        }
    }

    @Test("Of sixteen openings at once with one wrong PIN, one reaches the card")
    func parallel() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                let module = try cards.makeFaultyModule()
                let problems = try await withThrowingTaskGroup(of: SmartCardError.Problem?.self) { group in
                    for _ in 0..<16 {
                        group.addTask { try await cards.problem(pin: "wrong-1234", module: module) }
                    }
                    return try await group.reduce(into: [SmartCardError.Problem?]()) { $0.append($1) }
                }
                #expect(problems.filter { $0 == .wrongPIN(.tried) }.count == 1)
                #expect(problems.filter { $0 == .refusedPIN }.count == 15)
                let calls = cards.calls()
                #expect(calls.filter { $0 == "l" } == "l")
                #expect(calls.filter { $0 == "o" }.count == calls.filter { $0 == "c" }.count)
                #expect(calls.filter { $0 == "i" }.count == calls.filter { $0 == "f" }.count)
            }
        }
    }

    @Test("Before the last try and on a locked card no PIN is given")
    func flags() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                let module = try cards.makeFaultyModule()
                // CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED.
                cards.set("FAULTY_FLAGS", "0x20000")
                #expect(try await cards.problem(module: module) == .lastTry)
                cards.set("FAULTY_FLAGS", "0x40000")
                #expect(try await cards.problem(module: module) == .pinLocked)
                var options = SmartCardOptions.patient
                options.usesLastTry = true
                #expect(try await cards.problem(module: module, options: options) == .pinLocked)
                #expect(!cards.calls().contains("l"))
                cards.set("FAULTY_FLAGS", "0x20000")
                #expect(try await cards.problem(module: module, options: options) == nil)
                #expect(cards.calls().filter { $0 == "l" } == "l")
                #expect(
                    try await cards.problem(pin: "wrong-1234", module: module, options: options) == .wrongPIN(.lastTry)
                )
                // CKF_PROTECTED_AUTHENTICATION_PATH.
                cards.set("FAULTY_FLAGS", "0x100")
                #expect(try await cards.problem(pin: nil, module: module) == .pinPad)
            }
        }
    }

    @Test("What C_Login returns")
    func returned() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                let module = try cards.makeFaultyModule()
                let expected: [(String, String, SmartCardError.Problem)] = [
                    ("0xA4", "a-1234", .pinLocked), ("0xA1", "b-1234", .unusablePIN), ("0xA2", "c-1234", .unusablePIN),
                    ("0xA3", "d-1234", .pinExpired), ("0x102", "e-1234", .pinNotSet),
                    ("0x30", "f-1234", .failed("C_Login", ReturnValue(rawValue: 0x30))),
                    ("0x80000001", "g-1234", .failed("C_Login", ReturnValue(rawValue: 0x8000_0001))),
                ]
                for (value, pin, problem) in expected {
                    cards.set("FAULTY_LOGIN", value)
                    #expect(try await cards.problem(pin: pin, module: module) == problem)
                }
                #expect(cards.calls().filter { $0 == "l" }.count == expected.count)
                // What may have counted is not tried again.
                for pin in ["a-1234", "b-1234", "c-1234"] {
                    #expect(try await cards.problem(pin: pin, module: module) == .refusedPIN)
                }
            }
        }
    }

    @Test("No PIN, one that no card takes, and the file of the URI")
    func sources() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                #expect(try await cards.problem(pin: nil) == .pinNeeded)
                #expect(try await cards.problem(pin: "") == .unusablePIN)
                #expect(try await cards.problem(pin: String(repeating: "1", count: 256)) == .unusablePIN)
                let file = cards.path("pin")
                let uri = "pkcs11:token=work?pin-source=file:\(file)"
                #expect(
                    try await cards.problem(uri, pin: nil) == .pinSource(.unreadable(path: file, code: ENOENT))
                )
                try "\(SoftCards.pin)\n".write(toFile: file, atomically: true, encoding: .utf8)
                unsafe chmod(file, 0o644)
                #expect(try await cards.problem(uri, pin: nil) == .pinSource(.readableByOthers(path: file)))
                unsafe chmod(file, 0o600)
                #expect(try await cards.problem(uri, pin: nil) == nil)
            }
        }
    }

    @Test("No description or dump shows the PIN")
    func secrets() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let card = try await cards.open()
                let identity = try await card.identity(named: "laptop")
                var text = ""
                dump(card, to: &text)
                dump(identity, to: &text)
                text += "\(card) \(identity) \(identity.key)"
                #expect(text.contains("laptop") && !text.contains(SoftCards.pin))
                #expect("\(identity.key)" == "private key (EC P-256) on the card 'work'")
                do {
                    _ = try await cards.open(pin: "wrong-5678")
                } catch {
                    #expect(!"\(error)".contains("5678") && "\(error)".hasPrefix("pkcs11:token=work: the PIN is wrong"))
                }
            }
        }
    }
}
