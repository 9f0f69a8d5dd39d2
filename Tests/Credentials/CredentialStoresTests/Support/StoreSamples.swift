import CredentialStores
import Foundation
import Hostnames
import Secrets
import TestSupport

/// Credentials, keys and folders for tests.
enum StoreSamples {
    /// The time of tests, in seconds since 1970.
    static let now: Int64 = 1_900_000_000

    /// Options under which a passphrase costs little.
    static var cheap: SealedFile.Options {
        get throws {
            var options = SealedFile.Options()
            options.passphraseCost = try requireValue(ScryptCost(checking: 4, r: 8, p: 1))
            return options
        }
    }

    static func origin(_ text: String) throws -> Origin { try Origin(parsing: text) }

    static func credential(
        _ space: CredentialSpace,
        user: String = "jdoe",
        domain: String? = nil,
        kind: CredentialKind = .password,
        secret: String,
        created: Int64 = now,
        expires: Int64? = nil
    ) -> StoredCredential {
        StoredCredential(
            name: CredentialName(space: space, user: user, domain: domain, kind: kind),
            secret: SharedSecret(utf8: secret),
            created: created,
            expires: expires
        )
    }

    /// One password for every realm of an origin.
    static func credential(_ origin: String, user: String = "jdoe", secret: String) throws -> StoredCredential {
        credential(.origin(try self.origin(origin)), user: user, secret: secret)
    }

    /// Calls `body` with a new folder, which is removed afterwards.
    static func inFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Calls `body` with a new folder, which is removed afterwards.
    static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    /// Calls `body` with a new sealed file, its path, its key and its folder.
    static func inNewFile(_ body: (SealedFile, URL, StoreKey, URL) throws -> Void) throws {
        try inFolder { folder in
            let (path, key) = (folder.appending(path: "store"), try keyFile(in: folder))
            try body(SealedFile.create(at: path.path, key: key, now: now, options: cheap), path, key, folder)
        }
    }

    private static func makeFolder() throws -> URL {
        let folder = TemporaryFolder.place("store")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A new key file in `folder`.
    static func keyFile(in folder: URL, _ name: String = "key") throws -> StoreKey {
        let path = folder.appending(path: name).path
        try StoreKey.makeKeyFile(at: path)
        return .keyFile(path: path)
    }
}

/// The value, or an error where there is none.
func requireValue<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Absent() }
    return value
}

/// A value that a test needs is absent.
struct Absent: Error {}

extension StoredCredential {
    /// The secret as text.
    var text: String { secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) } }
}

extension StoreKey {
    static func passphrase(_ text: String) -> StoreKey { .passphrase(SharedSecret(utf8: text)) }
}
