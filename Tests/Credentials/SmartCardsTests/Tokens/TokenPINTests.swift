import Credentials
import Foundation
import LiveServers
import Secrets
import SmartCards
import Testing

/// A wrong PIN is tried once, and never if it could lock the token.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct TokenPINTests {
    @Test("A wrong PIN reaches the token once, the right one works afterwards")
    func wrongOnce() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                let module = try tokens.makeFaultyModule()
                // SoftHSM says in its flags that a wrong PIN was given.
                #expect(try await tokens.problem(pin: "wrong-1234", module: module) == .wrongPIN(.tried))
                #expect(tokens.calls() == "iolcf")
                for _ in 0..<3 {
                    #expect(try await tokens.problem(pin: "wrong-1234", module: module) == .refusedPIN)
                    #expect(!tokens.calls().contains("l"))
                }
                #expect(try await tokens.problem(pin: "other-1234", module: module) == .wrongPIN(.tried))
                #expect(try await tokens.problem(pin: "other-1234", module: module) == .refusedPIN)
                #expect(tokens.calls().filter { $0 == "l" } == "l")
                var options = TokenOptions.patient
                options.retriesRefusedPIN = true
                #expect(
                    try await tokens.problem(pin: "wrong-1234", module: module, options: options) == .wrongPIN(.tried)
                )
                #expect(tokens.calls().filter { $0 == "l" } == "l")
                #expect(try await tokens.problem(module: module) == nil)
                // The right PIN ends what is remembered, because the PIN may have been changed in between.
                #expect(try await tokens.problem(pin: "wrong-1234", module: module) == .wrongPIN(.tried))
            }
        }
    }

    @Test("Of sixteen openings at once with one wrong PIN, one reaches the token")
    func parallel() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                let module = try tokens.makeFaultyModule()
                let problems = try await withThrowingTaskGroup(of: TokenError.Problem?.self) { group in
                    for _ in 0..<16 {
                        group.addTask { try await tokens.problem(pin: "wrong-1234", module: module) }
                    }
                    return try await group.reduce(into: [TokenError.Problem?]()) { $0.append($1) }
                }
                #expect(problems.filter { $0 == .wrongPIN(.tried) }.count == 1)
                #expect(problems.filter { $0 == .refusedPIN }.count == 15)
                let calls = tokens.calls()
                #expect(calls.filter { $0 == "l" } == "l")
                #expect(calls.filter { $0 == "o" }.count == calls.filter { $0 == "c" }.count)
                #expect(calls.filter { $0 == "i" }.count == calls.filter { $0 == "f" }.count)
            }
        }
    }

    @Test("Before the last try and on a locked token no PIN is given")
    func flags() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                let module = try tokens.makeFaultyModule()
                // CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_LOCKED.
                tokens.set("FAULTY_FLAGS", "0x20000")
                #expect(try await tokens.problem(module: module) == .lastTry)
                tokens.set("FAULTY_FLAGS", "0x40000")
                #expect(try await tokens.problem(module: module) == .pinLocked)
                var options = TokenOptions.patient
                options.usesLastTry = true
                #expect(try await tokens.problem(module: module, options: options) == .pinLocked)
                #expect(!tokens.calls().contains("l"))
                tokens.set("FAULTY_FLAGS", "0x20000")
                #expect(try await tokens.problem(module: module, options: options) == nil)
                #expect(tokens.calls().filter { $0 == "l" } == "l")
                #expect(
                    try await tokens.problem(pin: "wrong-1234", module: module, options: options) == .wrongPIN(.lastTry)
                )
                // CKF_PROTECTED_AUTHENTICATION_PATH.
                tokens.set("FAULTY_FLAGS", "0x100")
                #expect(try await tokens.problem(pin: nil, module: module) == .pinPad)
            }
        }
    }

    @Test("What C_Login returns")
    func returned() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                let module = try tokens.makeFaultyModule()
                let expected: [(String, String, TokenError.Problem)] = [
                    ("0xA4", "a-1234", .pinLocked), ("0xA1", "b-1234", .unusablePIN), ("0xA2", "c-1234", .unusablePIN),
                    ("0xA3", "d-1234", .pinExpired), ("0x102", "e-1234", .pinNotSet),
                    ("0x30", "f-1234", .failed("C_Login", ReturnValue(rawValue: 0x30))),
                    ("0x80000001", "g-1234", .failed("C_Login", ReturnValue(rawValue: 0x8000_0001))),
                ]
                for (value, pin, problem) in expected {
                    tokens.set("FAULTY_LOGIN", value)
                    #expect(try await tokens.problem(pin: pin, module: module) == problem)
                }
                #expect(tokens.calls().filter { $0 == "l" }.count == expected.count)
                // What may have counted is not tried again.
                for pin in ["a-1234", "b-1234", "c-1234"] {
                    #expect(try await tokens.problem(pin: pin, module: module) == .refusedPIN)
                }
            }
        }
    }

    @Test("No PIN, one that no token takes, and the file of the URI")
    func sources() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                #expect(try await tokens.problem(pin: nil) == .pinNeeded)
                #expect(try await tokens.problem(pin: "") == .unusablePIN)
                #expect(try await tokens.problem(pin: String(repeating: "1", count: 256)) == .unusablePIN)
                let file = tokens.path("pin")
                let uri = "pkcs11:token=work?pin-source=file:\(file)"
                #expect(
                    try await tokens.problem(uri, pin: nil) == .pinSource(.unreadable(path: file, code: ENOENT))
                )
                try "\(SoftTokens.pin)\n".write(toFile: file, atomically: true, encoding: .utf8)
                unsafe chmod(file, 0o644)
                #expect(try await tokens.problem(uri, pin: nil) == .pinSource(.readableByOthers(path: file)))
                unsafe chmod(file, 0o600)
                #expect(try await tokens.problem(uri, pin: nil) == nil)
            }
        }
    }

    @Test("No description or dump shows the PIN")
    func secrets() async {
        await #expect(processExitsWith: .success) {
            try await withSoftTokens { tokens in
                try tokens.provision(.p256)
                let token = try await tokens.open()
                let identity = try await token.identity(named: "laptop")
                var text = ""
                dump(token, to: &text)
                dump(identity, to: &text)
                text += "\(token) \(identity) \(identity.key)"
                #expect(text.contains("laptop") && !text.contains(SoftTokens.pin))
                #expect("\(identity.key)" == "private key (EC P-256) on the token 'work'")
                do {
                    _ = try await tokens.open(pin: "wrong-5678")
                } catch {
                    #expect(!"\(error)".contains("5678") && "\(error)".hasPrefix("pkcs11:token=work: the PIN is wrong"))
                }
            }
        }
    }
}
