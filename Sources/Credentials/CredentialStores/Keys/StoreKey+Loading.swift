internal import Credentials
internal import Secrets
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension StoreKey {
    /// Reads the key; the place of an error is the key's own.
    ///
    /// - Parameter group: the group that shares the store, and may share its key file; `nil` for a store of this user's alone.
    func material(sharedWith group: StoreGroup? = nil) throws(CredentialStoreError) -> KeyMaterial {
        switch self {
        case .passphrase(let secret):
            let place = "passphrase"
            guard secret.count > 0 else { throw CredentialStoreError(place: place, problem: .emptyPassphrase) }
            let limit = CredentialLimits.passphraseBytes
            guard secret.count <= limit else {
                let problem = CredentialStoreError.Problem.tooLong(.passphrase, bytes: secret.count, limit: limit)
                throw CredentialStoreError(place: place, problem: problem)
            }
            return KeyMaterial(kind: kind, secret: secret)
        case .keyFile(let path):
            return try fileMaterial(path, sharedWith: group) { () throws(PrivateFileProblem) in
                try PrivateFile(path, group == nil ? .secret : nil, orPipe: true)
            }
        case .systemdCredential(let name):
            let path: String
            do throws(SystemdCredential.Problem) {
                path = try SystemdCredential.path(of: name)
            } catch {
                throw CredentialStoreError(place: description, problem: .init(error))
            }
            return try fileMaterial(path) { () throws(PrivateFileProblem) in try SystemdCredential.open(path) }
        }
    }

    private func fileMaterial(
        _ path: String,
        sharedWith group: StoreGroup? = nil,
        _ open: () throws(PrivateFileProblem) -> PrivateFile
    ) throws(CredentialStoreError) -> KeyMaterial {
        let length = CredentialLimits.keyFileBytes
        do throws(CredentialStoreError.Problem) {
            let file = try CredentialStoreError.Problem.translating(open)
            try group?.checkKey(file)
            guard file.isPipe || file.size == length else { throw .keyLength(bytes: file.size) }
            let read = try CredentialStoreError.Problem.translating { () throws(PrivateFileProblem) in
                try file.read(atMost: length)
            }
            // Of a pipe, more bytes are not counted.
            guard var bytes = read, bytes.count == length else { throw .keyLength(bytes: read?.count ?? length + 1) }
            return KeyMaterial(kind: kind, secret: SharedSecret(SecretBytes(consuming: &bytes)))
        } catch {
            throw CredentialStoreError(place: path, problem: error)
        }
    }

    /// Writes 32 random bytes to a new file that only its owner may read.
    ///
    /// - Parameters:
    ///   - path: a new file.
    ///   - group: whose members may read it, too.
    /// - Throws: ``CredentialStoreError/Problem/exists`` if the path is taken: the file there may be the only key of a store.
    public static func makeKeyFile(
        at path: String,
        sharedWith group: StoreGroup? = nil
    ) throws(CredentialStoreError) {
        var bytes = SealingKey.random().withBytes { [UInt8](copying: $0) }
        defer { erase(&bytes) }
        let descriptor = unsafe SystemPath.withSystemPath(path) {
            unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else {
            let reason = errno
            throw CredentialStoreError(
                place: path,
                problem: reason == EEXIST ? .exists : .refusal(of: "make the key file", code: reason)
            )
        }
        defer { close(descriptor) }
        // In bounds: the bytes of the array.
        let written = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        let isWritten = written == bytes.count && DurableWriting.sync(descriptor) == 0
        var reason = isWritten ? 0 : written < 0 || written == bytes.count ? errno : ENOSPC
        if isWritten, let group { reason = group.own(descriptor, permissions: 0o640) }
        guard reason == 0 else {
            _ = unsafe SystemPath.withSystemPath(path) { unsafe unlink($0) }
            throw CredentialStoreError(place: path, problem: .refusal(of: "write the key file", code: reason))
        }
    }
}
