public import Hostnames
internal import Secrets
internal import Waiting

/// Answers with one user name and one password, from the program, files, the environment or systemd's credentials.
///
/// It answers only for the origins that it is made for. The places are read for each question, so a file may change. After a
/// refusal the source has nothing.
public struct FixedCredentialSource: CredentialSource {
    private let user: CredentialPlace
    private let password: CredentialPlace
    private let origins: Set<Origin>
    private let party: CredentialQuestion.Party
    private let keep: SuppliedCredential.Keeping

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - user: where the user name lies: `jdoe`, `ACME\jdoe` or `jdoe@acme.example`.
    ///   - password: where the password lies.
    ///   - origins: who may get it.
    ///   - party: whether these are servers or proxies.
    ///   - keep: how long its replies may be kept.
    public init(
        user: CredentialPlace,
        password: CredentialPlace,
        for origins: Set<Origin>,
        party: CredentialQuestion.Party = .server,
        keep: SuppliedCredential.Keeping = .session
    ) {
        self.user = user
        self.password = password
        self.origins = origins
        self.party = party
        self.keep = keep
    }

    /// The user name and password, if the question comes from one of the origins.
    ///
    /// - Throws: `SecretReferenceError` or ``CredentialPlaceError``.
    public func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        guard question.party == party, origins.contains(question.origin), !question.wasRefused else { return .nothing }
        let source = self
        return try await OwnThread.run { _ in
            let login = try source.login()
            if let user = question.user, !login.utf8.elementsEqual(user.utf8) { return .nothing }
            let password = try source.password.load()
            return .use(SuppliedCredential(login: login, password: password, keep: source.keep))
        }
    }

    private func login() throws -> String {
        let name = try user.load().withBytes { bytes in
            UTF8Check.isPrintable(bytes) ? String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) : nil
        }
        guard let name else { throw CredentialPlaceError(place: user.description, problem: .notAUserName) }
        return name
    }
}
