internal import AllowedSites
internal import Credentials
public import Foundation
internal import HTTPAuthentication
internal import SPKIPins
public import Sallyport
internal import WireFormat
internal import Yams

/// Reads a security profile from YAML; the documentation of this target shows the format.
public struct ProfileReader {
    /// The most bytes of a profile file or certificate file.
    public static let maximumBytes = 4 * 1024 * 1024
    /// The most elements of a list.
    public static let maximumElements = 100_000
    /// The supported `version`.
    public static let version = 1

    private let url: URL

    /// Reads `url` and loads its secrets and certificates. Relative paths start from its folder.
    public static func read(_ url: URL) throws(ProfileFileError) -> SecurityProfile {
        try ProfileReader(url: url).profile()
    }

    private func profile() throws(ProfileFileError) -> SecurityProfile {
        let root = try parse()
        let known = ["version", "sites", "schemes", "accounts", "identities", "pins"]
        let fields = try root.mapping(known: known)
        let version = try fields.required("version", in: root)
        guard try version.integer() == Self.version else { throw version.error("expected \(Self.version)") }
        var profile = SecurityProfile(
            sites: try sites(try fields.required("sites", in: root)),
            schemes: try schemes(try fields.required("schemes", in: root))
        )
        let accounts = try fields["accounts"]?.sequence() ?? []
        let identities = try fields["identities"]?.sequence() ?? []
        let pins = try fields["pins"]?.sequence() ?? []
        for node in accounts { profile.accounts.append(try account(node)) }
        for node in identities { profile.identities.append(try identity(node)) }
        for node in pins { profile.pins.append(try PinEntryReader.entry(node)) }
        do throws(ProfileError) {
            // The handler checks for expired pins when the profile is used, so reading a profile does not.
            _ = try ChallengeHandler(profile: profile, at: .min)
        } catch {
            let names = profile.accounts.map(\.value.name) + profile.identities.map(\.value.name)
            let owner = error.owner.flatMap { names.lastIndex(of: $0) }.map { (accounts + identities)[$0] }
            let entry = error.pinEntry.flatMap { pins.indices.contains($0) ? pins[$0] : nil }
            throw (owner ?? entry ?? root).error("\(error)")
        }
        return profile
    }

    private func parse() throws(ProfileFileError) -> ProfileNode {
        let data: Data
        do throws(FileReadError) {
            data = try Self.read(FileReading.openStream(url.path))
        } catch {
            throw failure(nil, "cannot be read (\(error)): check path and mode")
        }
        guard data.count <= Self.maximumBytes else {
            throw failure(nil, "larger than \(Self.maximumBytes) bytes: split it or name the right file")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw failure(nil, "not UTF-8: convert the file")
        }
        if let line = AnchorScan.line(ofFirstAnchorIn: text) {
            throw failure(line, "anchors and aliases are not supported: write the value where it is needed")
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            let problem = YAMLProblem(error, in: text)
            throw failure(problem.line, problem.text)
        }
        guard let root else { throw failure(nil, "is empty: write a profile") }
        return ProfileNode(path: url.path, field: "", node: root)
    }

    private func sites(_ node: ProfileNode) throws(ProfileFileError) -> SiteList {
        var lines: [String] = []
        let elements = try node.sequence()
        for element in elements {
            let rule = try element.text()
            guard !rule.contains(where: \.isNewline) else {
                throw element.error("the rule has a line break: remove it")
            }
            lines.append(rule)
        }
        do throws(SiteListError) {
            return try SiteList(parsing: lines.joined(separator: "\n"), name: url.lastPathComponent)
        } catch {
            guard case .badLines(let problems) = error, let problem = problems.listed.first else {
                throw node.error("\(error)")
            }
            // Line n of the list is element n - 1 of the sequence.
            throw elements[problem.line - 1].error("\(problem.reason)")
        }
    }

    private func schemes(_ node: ProfileNode) throws(ProfileFileError) -> [AuthenticationScheme] {
        var schemes: [AuthenticationScheme] = []
        for element in try node.sequence() {
            let scheme = AuthenticationScheme(try element.text())
            guard AuthenticationScheme.answerable.contains(scheme) else {
                throw element.error("the scheme is not supported: choose from \(answerable)")
            }
            guard !schemes.contains(scheme) else { throw element.error("the scheme occurs twice: remove one") }
            schemes.append(scheme)
        }
        return schemes
    }

    private var answerable: String { AuthenticationScheme.answerable.map(\.name).sorted().joined(separator: ", ") }

    private func account(_ node: ProfileNode) throws(ProfileFileError) -> SecurityProfile.Assignment<Account> {
        let fields = try node.mapping(known: ["name", "user", "domain", "form", "password", "sites"])
        let name = try text(fields, "name", node)
        let user = try text(fields, "user", node)
        let domain = try domain(fields)
        let form = try userForm(fields)
        let sites = try rules(fields, node)
        let password = try fields.required("password", in: node)
        let reference = try secretReference(password)
        do throws(SecretReferenceError) {
            let secret = try reference.load()
            let account = Account(name: name, user: user, domain: domain, password: secret, userForm: form)
            return SecurityProfile.Assignment(account, sites: sites)
        } catch {
            throw password.error("\(error)")
        }
    }

    private func secretReference(_ node: ProfileNode) throws(ProfileFileError) -> SecretReference {
        let fields = try node.mapping(known: ["file", "environment"], isSecret: true)
        switch (fields["file"], fields["environment"]) {
        case (let file?, nil): return .file(path: absolute(try file.text()))
        case (nil, let variable?): return .environment(variable: try variable.text())
        default: throw node.error("expected either 'file' or 'environment'; do not write the secret itself here")
        }
    }

    private func identity(_ node: ProfileNode) throws(ProfileFileError) -> SecurityProfile.Assignment<ClientIdentity> {
        let fields = try node.mapping(known: ["name", "certificate", "sites"])
        let certificate = try fields.required("certificate", in: node)
        let file = try certificate.mapping(known: ["file"]).required("file", in: certificate)
        let path = absolute(try file.text())
        let data: Data
        do throws(FileReadError) {
            data = try Self.read(FileReading.openFile(path))
        } catch {
            throw file.error("cannot be read (\(error)): check path and mode")
        }
        guard data.count <= Self.maximumBytes else {
            throw file.error("larger than \(Self.maximumBytes) bytes: name the right file")
        }
        let name = try text(fields, "name", node)
        let sites = try rules(fields, node)
        let chain: [[UInt8]]
        do throws(PEMError) {
            chain = try PEM.certificates(in: [UInt8](data).span)
        } catch {
            throw file.error("\(error)")
        }
        guard !chain.isEmpty else { throw file.error("the file contains no certificate: expected PEM, leaf first") }
        return SecurityProfile.Assignment(ClientIdentity(name: name, certificateChain: chain), sites: sites)
    }

    private func domain(_ fields: [String: ProfileNode]) throws(ProfileFileError) -> String? {
        guard let node = fields["domain"] else { return nil }
        return try node.text()
    }

    private func userForm(_ fields: [String: ProfileNode]) throws(ProfileFileError) -> Account.UserForm {
        guard let node = fields["form"] else { return .bare }
        guard fields["domain"] != nil else { throw node.error("has no effect without 'domain': add one or remove it") }
        guard let form = Account.UserForm(rawValue: try node.text()) else {
            throw node.error("expected \(Account.UserForm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return form
    }

    private func text(
        _ fields: [String: ProfileNode],
        _ name: String,
        _ parent: ProfileNode
    ) throws(ProfileFileError) -> String {
        try fields.required(name, in: parent).text()
    }

    private func rules(_ fields: [String: ProfileNode], _ parent: ProfileNode) throws(ProfileFileError) -> [String] {
        let node = try fields.required("sites", in: parent)
        var rules: [String] = []
        for element in try node.sequence() {
            let rule = try element.text()
            do throws(SiteRuleError) {
                _ = try SiteRule(parsing: rule, allowingPublicSuffix: true)
            } catch {
                throw element.error("\(error)")
            }
            rules.append(rule)
        }
        return rules
    }

    /// The absolute path; a relative path starts from the profile's folder.
    private func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : url.deletingLastPathComponent().appending(path: path).path
    }

    /// One byte more than may be there, so that a device without an end is a file that is too large; closes `descriptor`.
    private static func read(_ descriptor: Int32) throws(FileReadError) -> Data {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            return try file.read(upToCount: maximumBytes + 1) ?? Data()
        } catch {
            throw FileReadError(errno: EISDIR)
        }
    }

    private func failure(_ line: Int?, _ problem: String) -> ProfileFileError {
        ProfileFileError(path: url.path, line: line, field: nil, problem: problem)
    }
}
