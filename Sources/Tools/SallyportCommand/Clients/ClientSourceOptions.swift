internal import ArgumentParser
internal import ClientAuthentication
internal import ClientDirectories
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import NTLM

/// Where the accounts of clients are.
struct ClientSourceOptions: ParsableArguments {
    @Option(
        name: .customLong("client-accounts"),
        help: ArgumentHelp(
            "Let clients authenticate themselves with the accounts of this file: one a line, NAME:{PLAIN}PASSWORD, NAME:{NT}HASH, or as htpasswd and htdigest write them. SIGHUP reads it again.",
            valueName: "file"
        )
    )
    var clientAccounts: String?

    @Option(
        name: .customLong("client-directory"),
        help: ArgumentHelp(
            "Let clients authenticate themselves with accounts that are judged elsewhere. winbind:DOMAIN: by the controllers of a Windows domain, through Samba's winbind, with NTLM and Basic; winbind alone, with NTLM. kerberos:HOST@REALM: by the KDC of a realm, with Basic; --client-keytab has the key of HTTP/HOST.",
            valueName: "directory"
        )
    )
    var clientDirectory: ClientDirectoryArgument?

    @Option(
        name: .customLong("client-keytab"),
        help: ArgumentHelp(
            "Let clients authenticate themselves with tickets of Kerberos for HTTP/HOST, whose key is in this keytab; HOST is the name by which clients call it.",
            valueName: "file"
        )
    )
    var clientKeytab: String?

    /// The source; `nil` if no option names one. Blocks the calling thread.
    func open() throws(ClientSourceProblem) -> ClientSource? {
        guard clientAccounts != nil || clientDirectory != nil || clientKeytab != nil else { return nil }
        guard clientAccounts == nil || clientDirectory == nil else { throw .twoDirectories }
        let file = try Self.opened(clientAccounts, Self.accountsFile)
        let keytab = try Self.opened(clientKeytab, Self.keytab)
        let (directory, schemes): (any ClientDirectory, [ClientScheme]) =
            if let file { (file, file.schemes) } else {
                try clientDirectory?.open(keytab: clientKeytab) ?? (FixedDirectory([:]), [])
            }
        return ClientSource(directory: directory, file: file, keytab: keytab, ofAccounts: schemes)
    }

    private static func opened<File>(
        _ name: String?,
        _ open: (String) throws(ClientSourceProblem) -> File
    ) throws(ClientSourceProblem) -> File? {
        guard let name else { return nil }
        return try open(name)
    }

    private static func accountsFile(_ name: String) throws(ClientSourceProblem) -> AccountsFile {
        do throws(AccountsFileError) { return try AccountsFile(name) } catch { throw .accounts("\(error)") }
    }

    private static func keytab(_ name: String) throws(ClientSourceProblem) -> KerberosKeytab {
        // The library reads it at the first ticket, which is late for a file that is not there.
        guard FileManager.default.isReadableFile(atPath: name) else {
            throw .keytab("\(name): it cannot be read: correct the path, or let this user read it")
        }
        // The library opens it by its name; a key that others may read is not a secret by then.
        do { _ = try PrivateFile(name) } catch { throw .keytab("\(name): \(error)") }
        do { return try KerberosKeytab(name) } catch { throw .keytab("\(error)") }
    }
}

/// The accounts of clients, and what checks their tickets.
struct ClientSource {
    let directory: any ClientDirectory
    /// The file with the accounts, if they are in one.
    let file: AccountsFile?
    let keytab: KerberosKeytab?
    /// The schemes that the accounts can use.
    fileprivate let ofAccounts: [ClientScheme]

    fileprivate init(
        directory: any ClientDirectory,
        file: AccountsFile?,
        keytab: KerberosKeytab?,
        ofAccounts: [ClientScheme]
    ) {
        (self.directory, self.file, self.keytab, self.ofAccounts) = (directory, file, keytab, ofAccounts)
    }

    /// What can be offered, strong schemes first.
    var schemes: [ClientScheme] { (keytab == nil ? [] : [.negotiate]) + ofAccounts }

    /// What is offered to clients.
    ///
    /// - Parameters:
    ///   - party: who asks.
    ///   - realm: the name of the protected area, if the file has none.
    ///   - offers: some of ``schemes``.
    func options(_ party: ChallengedParty, realm: String, offers: [ClientScheme]) -> ClientAuthenticationOptions {
        ClientAuthenticationOptions(
            party: party,
            realm: file?.realm ?? realm,
            schemes: offers,
            // curl and cntlm send no integrity code, which a timestamp would demand.
            ntlm: ServerHandshake.Options(computerName: "SALLYPORT", sendsTimestamp: false),
            kerberos: keytab,
            negotiatesNTLM: ofAccounts.contains(.ntlm)
        )
    }
}

/// Why the arguments name no accounts of clients.
enum ClientSourceProblem: Error, Equatable {
    case accounts(String)
    case keytab(String)
    case directory(String)
    /// Accounts of a file and of a directory.
    case twoDirectories
}

extension ClientSourceProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .accounts(let problem): "--client-accounts: \(problem)"
        case .keytab(let problem): "--client-keytab: \(problem)"
        case .directory(let problem): "--client-directory: \(problem)"
        case .twoDirectories:
            "--client-directory: the clients have their accounts in --client-accounts: give one of the two"
        }
    }
}
