internal import ArgumentParser

/// What `get` and `explain` have in common.
///
/// Their groups of options stand side by side: in a debug build the parser takes four times as long for each level of groups inside groups,
/// because it checks a group several times whenever it reads the one that holds it.
struct RequestArguments {
    let request: RequestOptions
    let script: PACOptions
    let certificate: CertificateOptions
    let account: AccountOptions
    let store: StoreOptions

    /// What no group can check alone.
    func validate() throws {
        if let option = script.option, request.direct {
            throw ValidationError("--direct uses no proxy: remove it, or \(option).")
        }
        guard !account.kerberos || certificate.kept != nil || !store.isNamed else {
            throw ValidationError(
                "A ticket answers, and no password: leave out --kerberos or the options of the store."
            )
        }
        guard !account.noStore || !store.isNamed else {
            throw ValidationError("--no-store uses no store: remove it, or the options of the store.")
        }
        guard !account.noPrompt || store.file == nil || !store.needsPassphrase else {
            throw ValidationError("--no-prompt asks for no passphrase: open the store with --key-file.")
        }
        guard !request.askTrust || !account.noPrompt else {
            throw ValidationError("--ask-trust asks at the terminal, and --no-prompt does not: remove one of them.")
        }
        try certificate.validate(noStore: account.noStore)
        guard certificate.kept == nil || !account.noPrompt || !store.needsPassphrase else {
            throw ValidationError(
                "--no-prompt asks for no passphrase: open the store of --cert-identity with --key-file."
            )
        }
    }
}
