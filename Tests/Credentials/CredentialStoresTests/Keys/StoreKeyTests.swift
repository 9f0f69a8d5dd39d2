import Credentials
import Foundation
import Secrets
import TestLimits
import Testing
import WireFormat

@testable import CredentialStores

@Suite(.inTurn) struct StoreKeyTests {
    private func problem(_ key: StoreKey) -> CredentialStoreError.Problem? {
        do throws(CredentialStoreError) {
            _ = try key.material()
            return nil
        } catch {
            return error.problem
        }
    }

    private func write(_ bytes: Int, _ url: URL, mode: Int) throws {
        try Data(repeating: 7, count: bytes).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    @Test("A key file has 32 random bytes, mode 0600, and is never replaced") func makesKeyFiles() throws {
        try StoreSamples.inFolder { folder in
            let urls = ["a", "b"].map { folder.appending(path: $0) }
            for url in urls { try StoreKey.makeKeyFile(at: url.path) }
            let contents = try urls.map { try Data(contentsOf: $0) }
            #expect(contents.allSatisfy { $0.count == 32 } && contents[0] != contents[1])
            let mode = try FileManager.default.attributesOfItem(atPath: urls[0].path)[.posixPermissions]
            #expect((mode as? Int) == 0o600)
            #expect(throws: CredentialStoreError(place: urls[0].path, problem: .exists)) {
                try StoreKey.makeKeyFile(at: urls[0].path)
            }
            #expect(try Data(contentsOf: urls[0]) == contents[0])
        }
    }

    @Test("A key file of another length, or that others may use, is refused") func keyFiles() throws {
        try StoreSamples.inFolder { folder in
            let url = folder.appending(path: "key")
            let key = StoreKey.keyFile(path: url.path)
            #expect(problem(key) == .missing)
            for count in [0, 31, 33, 100_000] {
                try write(count, url, mode: 0o600)
                #expect(problem(key) == .keyLength(bytes: count))
            }
            for mode in [0o640, 0o604, 0o660, 0o602] {
                try write(32, url, mode: mode)
                #expect(problem(key) == .othersMayUse(mode: UInt16(mode)))
            }
            try write(32, url, mode: 0o400)
            #expect(problem(key) == nil)
            #expect(problem(.keyFile(path: folder.path)) == .system(operation: "open the file", code: EISDIR))
        }
    }

    @Test("A passphrase has 1 to 1,024 bytes") func passphrases() {
        #expect(problem(.passphrase("")) == .emptyPassphrase)
        #expect(problem(.passphrase(String(repeating: "x", count: 1024))) == nil)
        let expected = CredentialStoreError.Problem.tooLong(.passphrase, bytes: 1025, limit: 1024)
        #expect(problem(.passphrase(String(repeating: "x", count: 1025))) == expected)
    }

    @Test("A systemd credential is a file below CREDENTIALS_DIRECTORY, named without a path") func systemd() async {
        await #expect(processExitsWith: .success) {
            let tests = StoreKeyTests()
            try StoreSamples.inFolder { folder in
                let variable = SystemdCredential.variable
                #expect(unsafe unsetenv(variable) == 0)
                #expect(tests.problem(.systemdCredential(name: "store")) == .noCredentialsDirectory)
                #expect(unsafe setenv(variable, "", 1) == 0)
                #expect(tests.problem(.systemdCredential(name: "store")) == .noCredentialsDirectory)
                #expect(unsafe setenv(variable, folder.path, 1) == 0)
                #expect(tests.problem(.systemdCredential(name: "store")) == .missing)
                for name in ["", ".", "..", "../key", "/etc/passwd", "a/b"] {
                    #expect(tests.problem(.systemdCredential(name: name)) == .malformedCredentialName, "\(name)")
                }
                // systemd's own modes: 0400, and 0440 where an access list names the user.
                let url = folder.appending(path: "store")
                for mode in [0o400, 0o440] {
                    try tests.write(32, url, mode: mode)
                    #expect(tests.problem(.systemdCredential(name: "store")) == nil)
                    try FileManager.default.removeItem(at: url)
                }
                for mode in [0o444, 0o404, 0o460] {
                    try tests.write(32, url, mode: mode)
                    #expect(
                        tests.problem(.systemdCredential(name: "store")) == .othersMayUse(mode: UInt16(mode))
                    )
                    try FileManager.default.removeItem(at: url)
                }
                try tests.write(32, url, mode: 0o400)
                let path = folder.appending(path: "file").path
                let key = StoreKey.systemdCredential(name: "store")
                try SealedFile.create(at: path, key: key, now: 1).save(
                    StoreSamples.credential("https://a.example", secret: "s")
                )
                #expect(try SealedFile.open(at: path, key: key).list().count == 1)
            }
        }
    }
}
