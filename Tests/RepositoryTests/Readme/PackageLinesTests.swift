import Foundation
import Testing

/// The lines of README and of the pages for the Package.swift of a user. `Tests/Consumer/check` builds those of README.
@Suite struct PackageLinesTests {
    /// The URL that pages give for this package.
    private static let ourURL = "<where you got this repository>"

    @Test("Each block names the packages of its products, as Package.swift does, and the trait that brings the least")
    func blocks() throws {
        let package = /\.package\(url: "([^"]*)", from: "([^"]*)"(?:, traits: \[([^\]]*)\])?\),/
        let manifest = try PackageManifest()
        var count = 0
        for page in try Repository.allPages() {
            for block in page.text.matches(of: /```\n(\.(?:package|product)\([^`]*)```/).map(\.1) {
                count += 1
                let named = Self.products(in: block)
                let packages = block.matches(of: package).map(\.output)
                let ours = packages.filter { $0.1 == Self.ourURL }
                #expect(ours.count == 1, "\(page.path): \(block)")
                let trait = try manifest.trait(of: named.filter { $0.package == "sallyport" }.map(\.name))
                let traits: Substring? =
                    switch trait {
                    case .none: ""
                    case .handler: nil  // the default
                    default: "\"\(trait.rawValue)\""
                    }
                #expect(ours.first?.3 == traits, "\(page.path): \(block)")
                let others = Set(named.map(\.package)).subtracting(["sallyport"])
                let wanted = try others.map { try #require(manifest.packages[$0], "\(page.path): \($0)") }
                let given = packages.filter { $0.1 != Self.ourURL }.map { "\($0.1) \($0.2)" }
                #expect(given.sorted() == wanted.map { "\($0.url) \($0.version)" }.sorted(), "\(page.path): \(block)")
            }
        }
        #expect(count > 30)
    }

    @Test("A product stands in such a block; README's section Install has the shortest lines besides")
    func places() throws {
        for page in try Repository.allPages() {
            let text = page.text.replacing(/```\n\.(?:package|product)\([^`]*```/, with: "")
            let named = Self.products(in: text[...]).map(\.name)
            #expect(named == (page.path.hasSuffix("README.md") ? ["Sallyport"] : []), "\(page.path)")
        }
    }

    @Test("README's table of traits says what the manifest needs") func table() throws {
        let manifest = try PackageManifest()
        let readme = try Repository.text("README.md")
        let rows = readme.split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: true) }
        let named = { (start: String) throws -> Set<Substring> in
            let row = try #require(rows.first { $0.count == 3 && $0[0].hasPrefix(start) }, "\(start)")
            return Set(row[2].matches(of: /`(\w+)`/).map(\.1))
        }
        let all = manifest.products.keys
        let needing = { (trait: PackageManifest.Trait) in
            Set(try all.filter { try manifest.trait(of: [$0]) == trait })
        }
        #expect(try named(" none") == needing(.none))
        #expect(try named(" `Study`") == needing(.study))
        // "The adapters" and "the relay" are the products whose names begin with that of the library.
        let clients = try needing(.clients)
        #expect(try named(" `Clients`") == clients.filter { !$0.hasPrefix("Sallyport") })
        #expect(Set(all.filter { $0.hasPrefix("Sallyport") }).subtracting(clients) == ["Sallyport"])
    }

    @Test("README names the version of Swift that the manifest asks for") func swift() throws {
        let version = try #require(Repository.text("Package.swift").firstMatch(of: /swift-tools-version: ([0-9.]+)/)?.1)
        #expect(try Repository.text("README.md").matches(of: /Swift (\d[0-9.]*\d)/).map(\.1) == [version])
    }

    private static func products(in text: Substring) -> [(name: Substring, package: Substring)] {
        text.matches(of: /\.product\(name: "(\w+)", package: "([\w-]+)"\)/).map { ($0.1, $0.2) }
    }
}
