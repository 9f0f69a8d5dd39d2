import Foundation
import LiveServers
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import SmartCards

extension SoftCards {
    func set(_ variable: String, _ value: String?) {
        if let value { unsafe setenv(variable, value, 1) } else { unsafe unsetenv(variable) }
    }

    // MARK: - Opening

    func uri(_ text: String = "pkcs11:token=work") throws -> PKCS11URI { try PKCS11URI(parsing: text) }

    func open(
        _ text: String = "pkcs11:token=work",
        pin: String? = pin,
        module: String = module,
        options: SmartCardOptions = .patient
    ) async throws -> SmartCard {
        try await SmartCard.open(uri(text), module: module, pin: pin.map { SharedSecret(utf8: $0) }, options: options)
    }

    /// The problem of opening, or `nil`.
    func problem(
        _ text: String = "pkcs11:token=work",
        pin: String? = pin,
        module: String = module,
        options: SmartCardOptions = .patient
    ) async throws -> SmartCardError.Problem? {
        do {
            // While a session is logged in, PKCS #11 does not look at the PIN of another one.
            try await open(text, pin: pin, module: module, options: options).close()
            return nil
        } catch let error as SmartCardError {
            return error.problem
        }
    }

    /// The calls of the faulty module since the last time, one letter each.
    ///
    /// The threads of the cards append to the file at any time, so that it is never emptied.
    func calls() -> String {
        let all = allCalls
        let seen = Self.readCalls.withLock { count in
            defer { count = all.utf8.count }
            return count
        }
        return String(all.dropFirst(seen))
    }

    /// How many letters of the log were read. Each test has a process of its own.
    private static let readCalls = Mutex(0)
}

/// Runs `body` with cards that this process finds, and removes them. An error becomes an issue, because one that leaves the process has no text.
func withSoftCards(_ body: (SoftCards) async throws -> Void) async throws {
    let cards = try SoftCards()
    defer { cards.remove() }
    for (variable, value) in cards.environment { cards.set(variable, value) }
    do { try await body(cards) } catch { Issue.record(error) }
    // SoftHSM 2.6.1 may not let a process end that calls exit() during C_Finalize, which runs on the thread of a card.
    try await eventually("\(LoadedModule.openModules) more modules are left") { LoadedModule.openModules == 0 }
}

extension SmartCardOptions {
    /// A limit that a busy machine does not reach.
    static var patient: SmartCardOptions {
        var options = SmartCardOptions()
        options.waitLimit = .seconds(600)
        return options
    }
}
