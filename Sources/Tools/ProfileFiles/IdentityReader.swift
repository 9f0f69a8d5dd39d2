internal import ChallengeHandling
internal import Credentials
internal import Foundation
internal import SPKIPins
internal import WireFormat

/// Reads one client certificate of a profile.
struct IdentityReader {
    /// Reads the secrets of the profile.
    let accounts: AccountReader

    /// The identity, and where its key may be.
    func identity(
        _ node: ProfileNode
    ) throws(ProfileFileError) -> (SecurityProfile.Assignment<ClientIdentity>, IdentityFile) {
        let paths = accounts.paths
        let fields = try node.mapping(known: ["name", "certificate", "sites"])
        let certificate = try fields.required("certificate", in: node)
        let place = try certificate.mapping(known: ["file", "key", "passphrase"])
        let file = try place.required("file", in: certificate)
        let path = paths.absolute(try file.text())
        let data: Data
        do throws(FileReadError) {
            data = try ProfilePaths.read(FileReading.openFile(path))
        } catch {
            throw file.error("cannot be read (\(error)): check path and mode")
        }
        guard data.count <= ProfileReader.maximumBytes else {
            throw file.error("larger than \(ProfileReader.maximumBytes) bytes: name the right file")
        }
        let name = try fields.required("name", in: node).text()
        let sites = try SiteRuleReader.rules(fields, node)
        let chain: [[UInt8]]
        do throws(PEMError) {
            chain = try PEM.certificates(in: [UInt8](data).span)
        } catch {
            throw file.error("\(error)")
        }
        guard !chain.isEmpty else { throw file.error("the file contains no certificate: expected PEM, leaf first") }
        let key = try place["key"].map { node throws(ProfileFileError) in paths.absolute(try node.text()) }
        let passphrase = try place["passphrase"].map(accounts.secret)
        return (
            SecurityProfile.Assignment(ClientIdentity(name: name, certificateChain: chain), sites: sites),
            IdentityFile(name: name, certificates: path, key: key, passphrase: passphrase)
        )
    }
}
