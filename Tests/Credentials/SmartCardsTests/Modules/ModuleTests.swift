import Foundation
import LiveServers
import TestSupport
import Testing

@testable import SmartCards

@Suite(.inTurn) struct ModuleTests {
    private func problem(_ path: String) async throws -> SmartCardError.Problem? {
        do {
            _ = try await SmartCard.open(PKCS11URI(), module: path)
            return nil
        } catch let error as SmartCardError {
            #expect(error.place == path && !error.description.contains("\n"))
            return error.problem
        }
    }

    @Test("A path without a module")
    func missing() async throws {
        #expect(try await problem("/nonexistent/module.so") == .missingModule)
        #expect(try await problem("libsofthsm2.so") == .relativePath)
        #expect(try await problem("") == .relativePath)
        #expect(try await problem("/etc/passwd\0.so") == .relativePath)
        await #expect(throws: SmartCardError(place: "pkcs11:token=a", problem: .noModule)) {
            try await SmartCard.open(PKCS11URI(parsing: "pkcs11:token=a"))
        }
    }

    @Test("A file that is not a library, and a folder")
    func notALibrary() async throws {
        for path in ["/etc/passwd", "/usr"] {
            guard case .unloadableModule(let reason)? = try await problem(path) else {
                Issue.record("\(path) was loaded")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("A library that is not a module")
    func otherLibrary() async throws {
        let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib"]
        let path = folders.map { "\($0)/libm.so.6" }.first(where: FileManager.default.fileExists(atPath:))
        #expect(try await problem(#require(path)) == .notAModule)
    }

    private static let header = "/usr/include/p11-kit-1/p11-kit/pkcs11.h"

    @Test(
        "The names of return values are those of p11-kit's header",
        .enabled(if: FileManager.default.fileExists(atPath: header), "needs libp11-kit-dev")
    )
    func names() throws {
        let text = try String(contentsOfFile: Self.header, encoding: .utf8)
        var seen = 0
        for line in text.split(separator: "\n") {
            guard let match = line.firstMatch(of: /^#define\s+(CKR_\w+)\s+\((0x[0-9a-fA-F]+|\d+)UL\)/) else { continue }
            let digits = match.2
            let value = digits.hasPrefix("0x") ? UInt(digits.dropFirst(2), radix: 16) : UInt(digits)
            guard let value, let name = ReturnValue.names[value] else { continue }
            seen += 1
            #expect(name == match.1)
        }
        #expect(seen == ReturnValue.names.count)
        #expect("\(ReturnValue(rawValue: 0x8000_0001))" == "CKR_0x80000001")
    }
}
