import Credentials
import Foundation
import Hostnames
import LiveServers
import Secrets
import TestSupport
import Testing

@testable import CredentialStores

/// The keyring of a session with gnome-keyring; libsecret's own program is the other user of it.
///
/// Each test runs in a process of its own, whose environment names the session.
@Suite(.row(42), .inTurn, .needs(.keyring)) struct KeyringStoreTests {
    @Test("The rules of every store") func rules() async {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            let rules = CredentialStoreTests()
            try await rules.savesAndFinds(kind: .keyring)
            try await rules.hosts(kind: .keyring)
            try await rules.replaces(kind: .keyring)
            try await rules.order(kind: .keyring)
            try await rules.strangers(kind: .keyring)
            try await rules.expiry(kind: .keyring)
            try await rules.removes(kind: .keyring)
            try await rules.names(kind: .keyring)
            try await rules.bounds(kind: .keyring)
            try await rules.concurrentTasks(kind: .keyring)
        }
    }

    @Test("A host has a bound of records there, too; replacements and other hosts have room") func recordsPerHost()
        async
    {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            // Fewer, because a save takes a tenth of a second there.
            var options = KeyringStore.Options()
            options.recordsPerHost = 2
            let store = try await KeyringStore.open(options)
            for port in 1...2 {
                try await store.save(StoreSamples.credential("https://a.example:\(port)", secret: "s"))
            }
            let full = CredentialStoreError(place: "keyring", problem: .tooManyRecordsForHost)
            await #expect(throws: full) {
                try await store.save(StoreSamples.credential("https://a.example:3", secret: "s"))
            }
            try await store.save(StoreSamples.credential("https://a.example:1", secret: "other"))
            try await store.save(StoreSamples.credential("http://a.example", secret: "s"))
            #expect(try await store.list().count == 3)
        }
    }

    @Test("secret-tool finds a password by host and user, and what it stores is found") func secretTool() async {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            let store = try await KeyringStore.open()
            let origin = try StoreSamples.origin("https://wiki.example")
            let now = Int64(Date().timeIntervalSince1970)
            let secret = "Corr\u{E9}ct Horse"
            try await store.save(StoreSamples.credential(.origin(origin), domain: "ACME", secret: secret, created: now))
            let schema = ["xdg:schema", "org.sallyport.Credential"]
            let lookup = try keyring.secretTool(["lookup", "host", "wiki.example", "user", "jdoe"] + schema)
            #expect(lookup.output == secret && lookup.status == 0)
            let shown = try keyring.secretTool(["search", "user", "jdoe"] + schema).output
            #expect(
                shown.contains("label = Sallyport: password of ACME\\jdoe for https://wiki.example"),
                "\(shown)"
            )
            // All attributes of the page.
            let other = [
                "party", "server", "scheme", "https", "host", "wiki.example", "port", "443", "reach", "origin", "realm",
                "%", "path", "%", "user", "50%25", "domain", "%", "kind", "password",
            ]
            #expect(
                try keyring.secretTool(["store", "--label", "x"] + schema + other, input: "of the tool").status == 0
            )
            let query = CredentialQuery(origin: origin, user: "50%")
            let found = try await store.credentials(for: query, at: now)
            #expect(found.map(\.text) == ["of the tool"] && found.first?.name.domain == nil)
            #expect((found.first?.created ?? 0) - now < 60)
            // An item that lacks some is another program's: refused, and not guessed.
            _ = try keyring.secretTool(["store", "--label", "x", "user", "u"] + schema, input: "s")
            let foreign = CredentialStoreError(place: "keyring", problem: .keyring(.foreignItem))
            await #expect(throws: foreign) { try await store.list() }
            _ = try keyring.secretTool(["clear", "user", "u"] + schema)
            #expect(try await store.list().count == 2)
        }
    }

    @Test("A locked keyring is an error at once, also for what it holds") func locked() async {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            let store = try await KeyringStore.open()
            let record = try StoreSamples.credential("https://a.example", secret: "s")
            try await store.save(record)
            try keyring.lock()
            let locked = CredentialStoreError(place: "keyring", problem: .keyring(.locked))
            let query = CredentialQuery(origin: record.name.space.origin)
            await #expect(throws: locked) { try await store.credentials(for: query, at: 1) }
            await #expect(throws: locked) { try await store.save(record) }
            await #expect(throws: locked) { try await store.remove(record.name) }
            await #expect(throws: locked) { try await KeyringStore.open() }
        }
    }

    @Test("A service that hangs costs its limit, and the next call has the thread again") func hangs() async {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            var options = KeyringStore.Options()
            options.limit = .seconds(3)
            let store = try await KeyringStore.open(options)
            try keyring.stop()
            let late = CredentialStoreError(place: "keyring", problem: .keyring(.timedOut(milliseconds: 3_000)))
            await #expect(throws: late) { try await store.list() }
            try keyring.go()
            #expect(try await store.list().isEmpty)
        }
    }

    @Test("Without the library or a session the error names what to install or to start") func absent() async {
        await #expect(processExitsWith: .success) {
            var options = KeyringStore.Options()
            options.library = "libsecret-none.so.0"
            await #expect {
                try await KeyringStore.open(options)
            } throws: {
                "\($0)".hasPrefix("keyring: libsecret cannot be loaded (libsecret-none.so.0: ")
                    && "\($0)".contains("install the package libsecret-1-0 (Debian, Ubuntu)")
            }
            options.library = "libc.so.6"
            let old = CredentialStoreError(place: "keyring", problem: .keyring(.noFunction("g_hash_table_new")))
            await #expect(throws: old) { try await KeyringStore.open(options) }
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1)
            await #expect {
                try await KeyringStore.open()
            } throws: {
                "\($0)".hasPrefix("keyring: no Secret Service answers (") && "\($0)".contains("dbus-run-session")
            }
        }
    }

    @Test("Processes take turns by a lock in the folder of the session") func turn() async {
        await #expect(processExitsWith: .success) {
            let keyring = try DesktopKeyring()
            keyring.enter()
            defer { withExtendedLifetime(keyring) {} }
            let store = try await KeyringStore.open()
            let turn = await store.turn()
            #expect(turn != nil)
            let lock = "\(keyring.environment["XDG_RUNTIME_DIR"] ?? "")/sallyport-keyring.turn.lock"
            #expect(throws: CredentialStoreError.Problem.lockedTooLong(milliseconds: 0)) {
                let name = String(lock.dropLast(".lock".count))
                _ = try WriterLock(besides: name, patienceMilliseconds: 0).acquire()
            }
            withExtendedLifetime(turn) {}
        }
    }
}
