import Crypto
import LiveServers
import SwiftASN1
import X509

extension RequestFolder {
    /// An nginx that demands a client's certificate. The folder gets its root as `root.pem`, and a certificate that it takes as `laptop.pem`
    /// with the key `laptop.key`.
    func nginxWithLaptop() async throws -> NginxWithClients {
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let laptop = try clients.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        try write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        try write(laptop.certificate.serializeAsPEM().pemString, "laptop.pem")
        try write(laptop.key.pemRepresentation, "laptop.key")
        return try await NginxWithClients(root.leaf("localhost"), clients: clients.own.certificate)
    }

    /// Writes `profile.yaml` with the identity `laptop` for a server, and returns its path.
    ///
    /// - Parameter place: the field that says where the identity is.
    @discardableResult
    func identityProfile(_ place: String, for nginx: NginxWithClients) throws -> String {
        try write(
            """
            version: 1
            sites: ["localhost:\(nginx.port)"]
            schemes: [basic]
            identities:
              - name: laptop
                \(place)
                sites: ["localhost:\(nginx.port)"]
            """,
            "profile.yaml"
        )
    }
}
