import Foundation
import SPKIPins
import TestSupport
import Testing

/// A certificate of `Helpers/Certificates`, and what `openssl` says about it; its `README.md` has the commands.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let pin: String
    let notBefore: Int64
    let notAfter: Int64
    let serial: String
    let signatureHash: SignatureHash?

    var testDescription: String { name }

    var text: [UInt8] {
        get throws { try Self.bytes(of: "\(name).pem") }
    }

    /// Decoded by Foundation, so that our reader of PEM is not part of the walk's tests.
    var der: [UInt8] {
        get throws {
            let lines = String(decoding: try text, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
            return [UInt8](try #require(Data(base64Encoded: lines.joined())))
        }
    }

    static func bytes(of file: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: HelperFile.url("Certificates/\(file)")))
    }
}

extension Fixture {
    /// Every file of the folder; serials are the bytes of the INTEGER, two's complement.
    static let all = [
        Fixture(
            name: "chain-anchor",
            pin: "fiMECVoG+6+xeFNFU7r7DqtfLs3jJOu9pyDSvt53p0c=",
            notBefore: 1795229578,
            notAfter: 2110589578,
            serial: "732FF29F5BA0507E6E09613A5E28F7BB5DDDA527",
            signatureHash: .sha256
        ),
        Fixture(
            name: "chain-issuer",
            pin: "n+P37FkNKRzFhlggRc/0ytAYsNCQf7+F0eSei/8+jfI=",
            notBefore: 1795229578,
            notAfter: 1950749578,
            serial: "02",
            signatureHash: .sha256
        ),
        Fixture(
            name: "chain-leaf",
            pin: "f8enkME6iYEpri7ejjLRnDnYyRY8ChezHkly70IBcHI=",
            notBefore: 1795229578,
            notAfter: 1803005578,
            serial: "03",
            signatureHash: .sha256
        ),
        Fixture(
            name: "ed25519",
            pin: "fbuGNhCt58eGxODt8nMGfFak68ny5iwGisbGXFTadEc=",
            notBefore: 1795229578,
            notAfter: 3523229578,
            serial: "3EC40905A2C85EDC761D829731DBD8C30D0C9402",
            signatureHash: nil
        ),
        Fixture(
            name: "negative-serial",
            pin: "Q+fL7wSksxAcjhd5gokU5Bm7MwSJ2fngjQ5prqN1f3Y=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "FB",
            signatureHash: .sha256
        ),
        Fixture(
            name: "p256",
            pin: "4PpIe+yqW2soPuUZrUpLhIvlyMkK0WOerkzlQIbzzNk=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "5C7490545182E49030C84A9DA6D5AA30E9CF81C7",
            signatureHash: .sha256
        ),
        Fixture(
            name: "p384",
            pin: "Z9LGf2IkJMGyMjIeAmC6Ml/S8gSVcw9Iay5QlxNjPrE=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "5F6149936F5DFB9A5B841C13A9F3A6E604B2B592",
            signatureHash: .sha384
        ),
        Fixture(
            name: "p521",
            pin: "KilifH8bzNByfeCBG7cekG/hetb80FzRFwfhdm+XL3A=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "247B494521882A92F194284A69ED161A1FE44D3A",
            signatureHash: .sha512
        ),
        Fixture(
            name: "rsa1024",
            pin: "S9vSd2IjpD4of8r9bgBnD3jmz1VJLZvMUYKmsVUrscY=",
            notBefore: 1795229577,
            notAfter: 1826765577,
            serial: "58FF5644851F9CC93626DC006540CB1ED609496C",
            signatureHash: .sha1
        ),
        Fixture(
            name: "rsa2048-md5",
            pin: "yeb79LxLbudVj84GfERh6pG4y5gKyj2svqFKEIPJHM0=",
            notBefore: 1795229577,
            notAfter: 1826765577,
            serial: "75F67D3A63EA398D1061F8430EFC62F6FF4068A8",
            signatureHash: .md5
        ),
        Fixture(
            name: "rsa2048-sha512",
            pin: "9/s0vRkHOYGe6MrBTVa8GlxZZex4FmFGsQ4EocuF3Xk=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "06E68A9B280EE938F768E894ED1A2CA8F6149A41",
            signatureHash: .sha512
        ),
        Fixture(
            name: "rsa2048",
            pin: "7XTxi3tcahXpesnKUkuq7M41FHS2IFgjn502t8ltPz0=",
            notBefore: 1795229577,
            notAfter: 1826765577,
            serial: "3A89EF308A1E4B70E670058107C49BE13E187A9A",
            signatureHash: .sha256
        ),
        Fixture(
            name: "rsapss-sha1",
            pin: "bfaIsMWWJEZaZkIIKYqZUyZmNY5pjGRoXcF6Hk8soLk=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "577D1F2361ED0FBCE0BA4404D03078BD0AB4B795",
            signatureHash: .sha1
        ),
        Fixture(
            name: "rsapss-sha256",
            pin: "gakfSA/ktf9pHQ6tJX69o8Z+UtF/P11J5QJZDBTNz8Q=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "68B09275647477826E944E134AA3E5E8BDBC15B0",
            signatureHash: .sha256
        ),
        Fixture(
            name: "rsapss-sha384",
            pin: "vCDGB4PyE4ro7rVsRoaN1jmEzyjXXb5Z5XJh+f8U9ag=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "44B0D62E8516B60FDE132B8B7B8EAAFDDC28D172",
            signatureHash: .sha384
        ),
        Fixture(
            name: "v1",
            pin: "VQA7c1gcolDIKq2spmnvajvwwvhpqKngpnVEJi/YBzo=",
            notBefore: 1795229578,
            notAfter: 1826765578,
            serial: "73E3CE74AE3906F4F06E406240FBEDD302B1830D",
            signatureHash: .sha256
        ),
    ]
}
