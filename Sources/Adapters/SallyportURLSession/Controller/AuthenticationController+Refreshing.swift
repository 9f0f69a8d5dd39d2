internal import Foundation
internal import Sallyport
internal import WireFormat

extension AuthenticationController {
    /// Asks the source for the user's credentials and puts them into the profile in use. User and domain may change too.
    ///
    /// Calls that come while the source is asked wait for the same answer. If the source or the profile throws, everything stays as
    /// it was. A password that a server refused before stays refused there.
    ///
    /// - Throws: the error of the source, `ProfileError`, or `CancellationError`.
    public func updateUserCredentials() async throws {
        try await updates.run(for: .credentials) { [self] in
            guard let names = account else { throw ProfileError.unknownAccount(accountName) }
            let credentials = try await source.credentials(names)
            try Task.checkCancellation()
            try current.update(at: SystemClock.unixSeconds) { [accountName] profile throws(ProfileError) in
                guard let index = profile.accounts.firstIndex(where: { $0.account.name == accountName }) else {
                    throw .unknownAccount(accountName)
                }
                profile.accounts[index].account = credentials.account(replacing: profile.accounts[index].account)
            }
        }
    }

    /// Asks the source for client identities and puts them into the profile in use, in place of all that it has.
    ///
    /// Call it after a certificate was revoked, has expired or cannot be read. Calls that come while the source is asked wait for the
    /// same answer. If the source or the profile throws, everything stays as it was. Connections that were opened with the old
    /// identities carry no further request.
    ///
    /// - Throws: the error of the source, `ProfileError`, or `CancellationError`.
    public func fetchNewCertificates() async throws {
        try await updates.run(for: .certificates) { [self] in
            let identities = try await source.identities()
            try Task.checkCancellation()
            try current.update(at: SystemClock.unixSeconds) { profile in profile.identities = identities }
        }
    }

    /// The same as ``updateUserCredentials()`` for code without `async`.
    ///
    /// - Parameter completion: called once, on any thread, with whether it succeeded, and the error if not.
    public func updateUserCredentials(completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        Task { await Self.complete(completion) { try await self.updateUserCredentials() } }
    }

    /// The same as ``fetchNewCertificates()`` for code without `async`.
    ///
    /// - Parameter completion: called once, on any thread, with whether it succeeded, and the error if not.
    public func fetchNewCertificates(completion: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        Task { await Self.complete(completion) { try await self.fetchNewCertificates() } }
    }

    private static func complete(
        _ completion: @Sendable (Bool, (any Error)?) -> Void,
        after body: () async throws -> Void
    ) async {
        do { try await body() } catch { return completion(false, error) }
        completion(true, nil)
    }
}
