internal import ClientIdentities
internal import Credentials
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO

/// The client certificates of a profile with their keys.
enum ProfileIdentities {
    /// Reads the keys that the profile names, and puts them where TLS finds them. Blocks the calling thread.
    ///
    /// - Throws: `IdentityError`, with the file.
    static func install(
        _ contents: ProfileContents?,
        in current: CurrentHandler,
        _ ring: IdentityRing,
        at now: Int64
    ) throws {
        let keyed = try (contents?.identityFiles ?? []).map { file in
            let files: IdentityFiles =
                file.key.map { .pair(certificates: file.certificates, key: $0) } ?? .one(file.certificates)
            return try KeyedIdentity(name: file.name, reading: files, passphrase: file.passphrase)
        }
        ring.replace(by: keyed)
        guard !keyed.isEmpty else { return }
        try current.update(at: now) { profile in
            // With its chain as the key orders it: TLS finds a key by the whole identity.
            profile.identities = profile.identities.map { assignment in
                let own = keyed.first { $0.identity.name == assignment.value.name }
                return own.map { .init($0.identity, sites: assignment.sites) } ?? assignment
            }
        }
    }
}
