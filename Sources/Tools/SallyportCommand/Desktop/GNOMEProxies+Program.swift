internal import CredentialSources
internal import Secrets
internal import WireFormat

extension GNOMEProxies {
    /// How long `gsettings` may take.
    private static let limit = Duration.seconds(10)
    private static let mostBytes = 1 << 18

    /// What the program prints.
    ///
    /// - Throws: ``DesktopProblem``, or `CancellationError`.
    static func output() async throws -> String {
        do {
            // A secret, because a password may be among the values.
            let output = try await ChildOutput.secret(
                "gsettings",
                ["list-recursively", schema],
                mostBytes: mostBytes,
                limit: limit
            )
            return output.withBytes { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
        } catch let error as ChildOutputError {
            throw DesktopProblem(
                .gnome,
                "gsettings \(error): install Debian's libglib2.0-bin and gsettings-desktop-schemas, or name the proxy with another option"
            )
        }
    }
}
