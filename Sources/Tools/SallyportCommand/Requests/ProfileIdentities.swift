internal import ClientCertificates
internal import Credentials
internal import ProfileFiles
internal import Sallyport
internal import SallyportNIO

/// The client certificates of a profile whose keys the profile names.
struct ProfileIdentities {
    private let keyed: [KeyedIdentity]

    /// Reads the keys. Blocks the calling thread.
    ///
    /// - Throws: `IdentityError`, with the file.
    init(_ contents: ProfileContents?) throws {
        keyed = try (contents?.identityFiles ?? []).compactMap(Self.read)
    }

    /// An identity with its key; `nil` if the profile names none, so that the server's request is refused with a reason.
    private static func read(_ file: IdentityFile) throws(IdentityError) -> KeyedIdentity? {
        let files: IdentityFiles =
            file.key.map { .pair(certificates: file.certificates, key: $0) } ?? .one(file.certificates)
        do {
            return try KeyedIdentity(name: file.name, reading: files, passphrase: file.passphrase)
        } catch {
            guard error.problem == .noKey, file.key == nil, file.passphrase == nil else { throw error }
            return nil
        }
    }

    /// Puts the keys where TLS finds them.
    func install(in current: CurrentHandler, _ ring: IdentityRing, at now: Int64) throws {
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
