internal import CredentialStores
internal import Foundation
internal import Hostnames
internal import OfflineVerbs
internal import WireFormat

/// What a list shows of a stored credential.
struct StoredRow {
    private let listing: CredentialListing

    init(_ listing: CredentialListing) { self.listing = listing }

    private var name: CredentialName { listing.name }

    private var reach: String {
        switch name.space.reach {
        case .realm: "realm"
        case .origin: "origin"
        case .host: "host"
        case .path: "path"
        }
    }

    private var url: String { "\(name.space.origin)" }

    /// One object, without a line ending.
    var json: JSONValue {
        .object([
            ("url", .string(url)), ("party", .string(name.space.party == .proxy ? "proxy" : "server")),
            ("reach", .string(reach)), ("realm", JSONValue(name.space.realm)), ("path", JSONValue(name.space.path)),
            ("user", .string(name.user)), ("domain", JSONValue(name.domain)), ("kind", .string(name.kind.rawValue)),
            ("created", .string(Timestamp.text(unixSeconds: listing.created))),
            ("expires", JSONValue(listing.expires.map(Timestamp.text(unixSeconds:)))),
        ])
    }

    /// What stands after a verb: the kind, the user and the place.
    var sentence: String {
        let user = name.user.isEmpty ? "" : " of \(Login(name).text.inOneLine)"
        let proxy = name.space.party == .proxy ? "the proxy " : ""
        let realm =
            switch name.space.reach {
            case .realm: name.space.realm.map { ", realm \($0.debugDescription.inOneLine)" } ?? ", without a realm"
            case .origin: ""
            case .host: ", all ports"
            case .path: ", path \((name.space.path ?? "").debugDescription.inOneLine)"
            }
        return "the \(name.kind.rawValue)\(user) for \(proxy)\(url)\(realm)"
    }

    /// The rows in columns below a header; empty for no rows.
    static func table(_ rows: [StoredRow]) -> String {
        guard !rows.isEmpty else { return "" }
        let cells = [["URL", "REALM", "USER", "KIND", "STORED", "EXPIRES"]] + rows.map(\.cells)
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            // The last column has no blanks at its end.
            return (padded.dropLast() + row.suffix(1)).joined(separator: "  ") + "\n"
        }.joined()
    }

    private var cells: [String] {
        let party = name.space.party == .proxy ? "proxy " : ""
        let realm = name.space.reach == .realm ? name.space.realm.map(\.inOneLine) ?? "-" : "*"
        let path = name.space.path.map { "/" + $0.inOneLine } ?? ""
        return [
            party + url + path, realm, Login(name).text.inOneLine, name.kind.rawValue,
            Timestamp.text(unixSeconds: listing.created),
            listing.expires.map(Timestamp.text(unixSeconds:)) ?? "never",
        ]
    }
}
