internal import AllowedSites
internal import Foundation
internal import SPKIPins

/// Opens sites and pins that were compiled before, in place of the lists of a profile.
struct ImageReader {
    let paths: ProfilePaths

    /// The list of `sites: [...]`, or an empty list and the trie of `sites: { image: file }`.
    func sites(
        _ node: ProfileNode,
        orElse read: (ProfileNode) throws(ProfileFileError) -> SiteList
    ) throws(ProfileFileError) -> (SiteList, SiteTrie?) {
        guard let file = try image(node) else { return (try read(node), nil) }
        let path = paths.absolute(try file.text())
        do {
            return (try SiteList(parsing: "", name: "image"), try SiteTrie(mappingImageAt: path))
        } catch {
            throw file.error("\(error)")
        }
    }

    /// The policy of `pins: { image: file }`; `nil` for a list.
    func pins(_ node: ProfileNode) throws(ProfileFileError) -> PinPolicy? {
        guard let file = try image(node) else { return nil }
        let path = paths.absolute(try file.text())
        do throws(PinImageError) {
            return try PinPolicy(mappingImageAt: path)
        } catch {
            throw file.error("\(error)")
        }
    }

    private func image(_ node: ProfileNode) throws(ProfileFileError) -> ProfileNode? {
        guard node.isMapping else { return nil }
        return try node.mapping(known: ["image"]).required("image", in: node)
    }
}
