internal import ChallengeHandling
internal import Credentials
internal import Foundation
internal import SPKIPins
internal import WireFormat

/// Reads one client certificate of a profile.
struct IdentityReader {
    let paths: ProfilePaths

    func identity(_ node: ProfileNode) throws(ProfileFileError) -> SecurityProfile.Assignment<ClientIdentity> {
        let fields = try node.mapping(known: ["name", "certificate", "sites"])
        let certificate = try fields.required("certificate", in: node)
        let file = try certificate.mapping(known: ["file"]).required("file", in: certificate)
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
        return SecurityProfile.Assignment(ClientIdentity(name: name, certificateChain: chain), sites: sites)
    }
}
