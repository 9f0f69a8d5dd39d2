internal import ArgumentParser
internal import ClientAuthentication
internal import ClientDirectories

/// The argument of `--client-directory`.
enum ClientDirectoryArgument: ExpressibleByArgument, Equatable {
    case winbind(domain: String)
    case kerberos(host: String, realm: String)

    /// Reads `winbind`, `winbind:ACME` or `kerberos:proxy.acme.example@ACME.EXAMPLE`.
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count == 2 ? parts[1] : nil) {
        case ("winbind", nil): self = .winbind(domain: "")
        case ("winbind", let domain?) where !domain.isEmpty: self = .winbind(domain: domain)
        case ("kerberos", let service?):
            let names = service.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
            guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
            self = .kerberos(host: names[0], realm: names[1])
        default: return nil
        }
    }

    /// The directory, and the schemes that its accounts can use.
    ///
    /// - Parameter keytab: the keys of this server, by which the KDC is proven.
    func open(keytab: String?) throws(ClientSourceProblem) -> (any ClientDirectory, [ClientScheme]) {
        switch self {
        case .winbind(let domain):
            let directory = WinbindDirectory(domain: domain)
            return (directory, directory.schemes)
        case .kerberos(let host, let realm):
            guard let keytab else { throw .directory("kerberos: needs --client-keytab, which proves the KDC") }
            do {
                return (try KerberosPasswords(realm: realm, host: host, keytab: keytab), KerberosPasswords.schemes)
            } catch { throw .directory("\(error)") }
        }
    }
}
