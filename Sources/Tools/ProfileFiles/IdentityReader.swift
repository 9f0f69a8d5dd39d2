internal import Foundation
internal import SPKIPins
internal import WireFormat

/// Reads one client certificate of a profile.
struct IdentityReader {
    /// The fields that say where an identity is; it has one of them.
    private static let places = ["certificate", "p12", "pkcs11", "store", "command"]
    /// The most words of a program and its arguments.
    private static let words = 64

    /// Reads the secrets of the profile.
    let accounts: AccountReader

    /// Where the identity is, and its certificates as far as the profile's own rules need them: none, unless they are in PEM.
    func identity(_ node: ProfileNode) throws(ProfileFileError) -> (ProfileIdentity, chain: [[UInt8]]) {
        let fields = try node.mapping(known: ["name", "sites"] + Self.places)
        let given = Self.places.filter { fields[$0] != nil }
        guard given.count == 1, let place = given.first.flatMap({ fields[$0] }) else {
            let names = Self.places.joined(separator: ", ")
            throw node.error(
                given.isEmpty
                    ? "no field says where the certificate is: add one of \(names)"
                    : "an identity has one of \(names): remove the others"
            )
        }
        let name = try self.name(fields.required("name", in: node))
        let sites = try SiteRuleReader.rules(fields, node, ofIdentity: true)
        let found: (place: ProfileIdentity.Place, secret: ProfileNode?)
        var chain: [[UInt8]] = []
        switch given[0] {
        case "certificate": (found, chain) = try certificate(place)
        case "p12": found = try file(place)
        case "pkcs11": found = try card(place)
        case "store": found = (.store(try place.text()), nil)
        default: found = (.command(try command(place)), nil)
        }
        return (
            ProfileIdentity(
                name: name,
                place: found.place,
                secret: try found.secret.map(accounts.secret),
                sites: sites,
                line: "\(node.path)\(node.line.map { ":\($0)" } ?? "")"
            ),
            chain
        )
    }

    /// The name, which is not one of those that messages give the certificates of options.
    private func name(_ node: ProfileNode) throws(ProfileFileError) -> String {
        let name = try node.text()
        guard !name.hasPrefix("--") else {
            throw node.error("the names of options begin with '--', such as '--cert': choose another name")
        }
        return name
    }

    private typealias Found = (place: ProfileIdentity.Place, secret: ProfileNode?)

    private func certificate(_ node: ProfileNode) throws(ProfileFileError) -> (Found, [[UInt8]]) {
        let fields = try node.mapping(known: ["file", "key", "passphrase"])
        let file = try fields.required("file", in: node)
        let path = accounts.paths.absolute(try file.text())
        let key = try fields["key"].map { node throws(ProfileFileError) in accounts.paths.absolute(try node.text()) }
        return ((.pem(path, key: key), fields["passphrase"]), try chain(at: path, file))
    }

    private func chain(at path: String, _ node: ProfileNode) throws(ProfileFileError) -> [[UInt8]] {
        let data: Data
        do throws(FileReadError) {
            data = try ProfilePaths.read(FileReading.openFile(path))
        } catch {
            throw node.error("cannot be read (\(error)): check path and mode")
        }
        guard data.count <= ProfileReader.maximumBytes else {
            throw node.error("larger than \(ProfileReader.maximumBytes) bytes: name the right file")
        }
        let chain: [[UInt8]]
        do throws(PEMError) {
            chain = try PEM.certificates(in: [UInt8](data).span)
        } catch {
            throw node.error("\(error)")
        }
        guard !chain.isEmpty else {
            throw node.error(
                "the file contains no certificate: expected PEM, leaf first; name a PKCS#12 file with 'p12'"
            )
        }
        return chain
    }

    private func file(_ node: ProfileNode) throws(ProfileFileError) -> Found {
        guard node.isMapping else { return (.pkcs12(accounts.paths.absolute(try node.text())), nil) }
        let fields = try node.mapping(known: ["file", "passphrase"])
        let path = try fields.required("file", in: node).text()
        return (.pkcs12(accounts.paths.absolute(path)), fields["passphrase"])
    }

    private func card(_ node: ProfileNode) throws(ProfileFileError) -> Found {
        let fields = node.isMapping ? try node.mapping(known: ["uri", "pin"]) : ["uri": node]
        let uri = try fields.required("uri", in: node)
        guard OptionFile.namesCard(try uri.text()) else { throw uri.error("expected a URI that begins with pkcs11:") }
        return (.card(try uri.text()), fields["pin"])
    }

    private func command(_ node: ProfileNode) throws(ProfileFileError) -> [String] {
        guard node.isSequence else { throw node.error("expected a list: the program, then its arguments") }
        let words = try node.texts()
        guard !words.isEmpty, words.count <= Self.words else {
            throw node.error("expected 1 to \(Self.words) words: the program, then its arguments")
        }
        guard !words.contains(where: { $0.utf8.contains(0) }) else { throw node.error("a word has a zero: remove it") }
        return words
    }
}
