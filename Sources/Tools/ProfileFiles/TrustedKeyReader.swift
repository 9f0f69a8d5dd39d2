internal import ChallengeHandling
internal import Hostnames

/// Reads one element of a profile's `trustedKeys`.
enum TrustedKeyReader {
    static func key(_ node: ProfileNode) throws(ProfileFileError) -> TrustedKey {
        let fields = try node.mapping(known: ["host", "sha256", "until"])
        return TrustedKey(
            host: try host(try fields.required("host", in: node)),
            pin: try fields.required("sha256", in: node).pin(),
            until: try fields.required("until", in: node).seconds()
        )
    }

    private static func host(_ node: ProfileNode) throws(ProfileFileError) -> Hostname {
        let text = try node.text()
        do throws(HostnameError) {
            return try Hostname(parsing: text)
        } catch {
            throw node.error("\(error)")
        }
    }
}
