import Credentials
import Foundation
import LiveServers
import SmartCards
import Testing

/// A module that makes mistakes, is slow, or whose card leaves.
@Suite(.inTurn, .needs(.softHSM, .openssl)) struct CardFaultTests {
    private static func problem(_ key: CardKey) async throws -> SmartCardError.Problem? {
        do {
            _ = try await key.sign([1, 2, 3], with: key.algorithms[0])
            return nil
        } catch let error as SmartCardError {
            #expect(!error.description.contains("\n"))
            return error.problem
        }
    }

    @Test("Counts, lengths and lists that cannot be")
    func implausible() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let module = try cards.makeFaultyModule()
                func check(_ variable: String, _ value: String, _ expected: SmartCardError.Problem) async throws {
                    cards.set(variable, value)
                    defer { cards.set(variable, nil) }
                    let card: SmartCard
                    do {
                        card = try await cards.open(module: module)
                    } catch let error as SmartCardError {
                        #expect(error.problem == expected, "\(variable) \(value)")
                        return
                    }
                    do {
                        _ = try await card.identity(named: "x")
                        Issue.record("\(variable) \(value) went unnoticed")
                    } catch let error as SmartCardError {
                        #expect(error.problem == expected, "\(variable) \(value)")
                    }
                    await card.close()
                }
                for count in ["257", "0x7fffffffffffffff", "0xffffffffffffffff"] {
                    try await check("FAULTY_SLOTS", count, .implausible("C_GetSlotList"))
                }
                for count in ["1025", "0xffffffffffffffff"] {
                    try await check("FAULTY_MECHANISMS", count, .implausible("C_GetMechanismList"))
                }
                let general = ReturnValue(rawValue: 0x5)
                for count in ["258", "0xffffffffffffffff"] {
                    try await check("FAULTY_FOUND", count, .failed("C_FindObjects", general))
                }
                try await check("FAULTY_MANY", "1", .tooMany("certificates", limit: 256))
                for length in ["1025", "0x1025", "0xfffffffffffffff0"] {
                    try await check("FAULTY_SIGN_LENGTH", length, .implausible("C_Sign"))
                }
                try await check("FAULTY_SIGN_LENGTH", "63", .keyWithoutCertificate)
                try await check("FAULTY_NO_LIST", "1", .failed("C_GetFunctionList", general))
                try await check("FAULTY_VERSION", "1", .unsupportedVersion("1.40"))
                try await check("FAULTY_NO_SIGN", "1", .failed("C_Sign", ReturnValue(rawValue: 0x54)))
                try await check("FAULTY_INITIALIZE", "0xA", .notThreadSafe)
                try await check("FAULTY_INITIALIZE", "0x6", .failed("C_Initialize", ReturnValue(rawValue: 0x6)))
                // Longer than every buffer; then the length that stands for no value.
                for length in ["0x10001", "0xfffffffffffffff0"] {
                    try await check("FAULTY_LENGTH", length, .implausible("C_GetAttributeValue"))
                }
                try await check("FAULTY_LENGTH", "0xffffffffffffffff", .keyWithoutCertificate)
                // After all of it, the module still works.
                _ = try await cards.open(module: module).identity(named: "x")
            }
        }
    }

    @Test("A damaged signature does not go out")
    func damaged() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                try cards.provision(.rsa, id: "02", label: "second")
                let identities = try await cards.open(module: cards.makeFaultyModule()).contents().identities
                cards.set("FAULTY_SIGN_DAMAGE", "1")
                for identity in identities { #expect(try await Self.problem(identity.key) == .wrongSignature) }
                #expect(identities.count == 2)
            }
        }
    }

    @Test(
        "A card that was away is opened once more, with its PIN",
        arguments: [UInt(0x32), 0xB0, 0xB3, 0xE0, 0x101, 0x60, 0x82]
    )
    func returned(value: UInt) async {
        await #expect(processExitsWith: .success) { [value] in
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let module = try cards.makeFaultyModule()
                let key = try await cards.open(module: module).identity(named: "laptop").key
                #expect(cards.calls() == "iols")
                cards.set("FAULTY_SIGN", String(value))
                cards.set("FAULTY_SIGN_FROM", "2")
                cards.set("FAULTY_SIGN_TIMES", "1")
                #expect(try await Self.problem(key) == nil)
                #expect(cards.calls() == "scols")
                // Twice in a row: it is gone.
                cards.set("FAULTY_SIGN_FROM", "4")
                cards.set("FAULTY_SIGN_TIMES", "2")
                #expect(try await Self.problem(key) == .removed(ReturnValue(rawValue: value)))
                #expect(cards.calls() == "scolsc")
                // When it is there again, so is the key.
                #expect(try await Self.problem(key) == nil)
                #expect(cards.calls() == "ols")
            }
        }
    }

    @Test("A PIN that was changed while the card was away is tried once")
    func changedPIN() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                // What the caller allows counts for the opening only.
                var options = SmartCardOptions.patient
                options.retriesRefusedPIN = true
                options.usesLastTry = true
                let card = try await cards.open(module: cards.makeFaultyModule(), options: options)
                let key = try await card.identity(named: "laptop").key
                _ = cards.calls()
                cards.set("FAULTY_SIGN", "0x32")
                cards.set("FAULTY_SIGN_TIMES", "100")
                cards.set("FAULTY_LOGIN", "0xA0")
                #expect(try await Self.problem(key) == .wrongPIN(.unknown))
                for _ in 0..<3 { #expect(try await Self.problem(key) == .refusedPIN) }
                #expect(cards.calls().filter { $0 == "l" } == "l")
            }
        }
    }

    @Test("Another failure is named, and not repeated")
    func failure() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let key = try await cards.open(module: cards.makeFaultyModule()).identity(named: "laptop").key
                _ = cards.calls()
                cards.set("FAULTY_SIGN", "0x30")
                cards.set("FAULTY_SIGN_TIMES", "100")
                #expect(try await Self.problem(key) == .failed("C_Sign", ReturnValue(rawValue: 0x30)))
                #expect(cards.calls() == "s")
                let error = SmartCardError(place: "x", problem: .failed("C_Sign", ReturnValue(rawValue: 0x30)))
                #expect("\(error)".contains("CKR_DEVICE_ERROR"))
            }
        }
    }

    @Test("A slow signature: a caller that is cancelled leaves at once, and the next one comes in its turn")
    func slow() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let module = try cards.makeFaultyModule()
                let stall = cards.path("stall")
                cards.set("FAULTY_STALL", stall)
                let key = try await cards.open(module: module).identity(named: "laptop").key
                _ = cards.calls()
                try Data().write(to: URL(filePath: stall))
                let cancelled = Task { try await key.sign([1], with: .ecdsaP256SHA256) }
                try await eventually("C_Sign is called") { cards.calls() == "s" }
                cancelled.cancel()
                // The thread is held until the file is gone, so that the caller has not waited for it.
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                // This one waits, and is then not begun.
                let waiting = Task { try await key.sign([1], with: .ecdsaP256SHA256) }
                try await Task.sleep(for: .milliseconds(50))
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                try FileManager.default.removeItem(atPath: stall)
                #expect(try await Self.problem(key) == nil)
                #expect(cards.calls() == "s")
            }
        }
    }

    @Test("A caller waits no longer than its limit")
    func limit() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let module = try cards.makeFaultyModule()
                let stall = cards.path("stall")
                cards.set("FAULTY_STALL", stall)
                var options = SmartCardOptions()
                options.waitLimit = .seconds(1)
                // A busy machine may exceed the limit before the signature, too.
                var attempts = 0
                let key = try await awaited("a key in time") { () -> CardKey? in
                    attempts += 1
                    do {
                        return try await cards.open(module: module, options: options).identity(named: "laptop").key
                    } catch let error as SmartCardError {
                        #expect(error.problem == .timedOut(milliseconds: 1_000))
                        return nil
                    }
                }
                _ = cards.calls()
                try Data().write(to: URL(filePath: stall))
                for _ in 0..<2 { #expect(try await Self.problem(key) == .timedOut(milliseconds: 1_000)) }
                // While one holds the thread, the other is not begun. What the first attempts have begun may come late.
                #expect(cards.calls().count { $0 == "s" } <= attempts)
                try FileManager.default.removeItem(atPath: stall)
            }
        }
    }

    @Test("More requests than a card keeps waiting are refused at once")
    func busy() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let stall = cards.path("stall")
                cards.set("FAULTY_STALL", stall)
                let key = try await cards.open(module: cards.makeFaultyModule()).identity(named: "laptop").key
                try Data().write(to: URL(filePath: stall))
                try await withThrowingTaskGroup(of: SmartCardError.Problem?.self) { group in
                    for _ in 0..<(SmartCardLimits.waitingRequests + 8) {
                        group.addTask { try await Self.problem(key) }
                    }
                    for _ in 0..<8 { #expect(try await group.next() == .some(.busy)) }
                    try FileManager.default.removeItem(atPath: stall)
                    for try await problem in group { #expect(problem == nil) }
                }
            }
        }
    }

    @Test("A closed card signs nothing, and its session is closed")
    func closed() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                try cards.provision(.p256)
                let card = try await cards.open(module: cards.makeFaultyModule())
                let key = try await card.identity(named: "laptop").key
                await card.close()
                #expect(cards.calls() == "iolscf")
                #expect(try await Self.problem(key) == .closed)
                await card.close()
                #expect(cards.calls() == "")
            }
        }
    }

    @Test("An opening that is cancelled leaves no session")
    func cancelledOpening() async {
        await #expect(processExitsWith: .success) {
            try await withSoftCards { cards in
                let module = try cards.makeFaultyModule()
                for delay in [0, 200, 400, 800, 1_600, 3_200] {
                    let task = Task { _ = try await cards.open(module: module) }
                    try await Task.sleep(for: .microseconds(delay))
                    task.cancel()
                    _ = await task.result
                }
                var calls = cards.calls()
                try await eventually("each module is left: \(calls)") {
                    calls += cards.calls()
                    return calls.count { $0 == "i" } == calls.count { $0 == "f" }
                }
                #expect(calls.filter { $0 == "o" }.count == calls.filter { $0 == "c" }.count, "\(calls)")
            }
        }
    }
}
