import Foundation
import Testing

/// What Package.swift says about products, read as text.
struct PackageManifest {
    /// A trait of this package; none for `traits: []`.
    enum Trait: String, CaseIterable {
        // In the order of what they bring.
        case none, handler = "Handler", clients = "Clients", study = "Study", everything = "Everything"
    }

    /// The modules of each product.
    let products: [Substring: Set<Substring>]
    /// The URL and the version of each other package, by its identity.
    let packages: [Substring: (url: Substring, version: Substring)]
    /// The package of each product of another package, and the traits that bring it.
    private let others: [Substring: (package: Substring, traits: Set<Trait>)]
    /// What each target imports.
    private let imports: [Substring: [Substring]]

    init() throws {
        let manifest = try Repository.text("Package.swift")
        let list = manifest.firstMatch(of: #/let facade = """\n([^"]*)"""/#)?.1 ?? ""
        let facade = list.split(whereSeparator: \.isWhitespace)
        var products: [Substring: Set<Substring>] = [:]
        let library = /\.library\(\s*name: "(\w+)",\s*targets: \[([^\]]*)\]( \+ words\(facade\))?/
        for match in manifest.matches(of: library) {
            let targets = match.2.matches(of: /\w+/).map(\.output)
            products[match.1] = Set(targets).union(match.3 == nil ? [] : facade)
        }
        self.products = products
        var imports: [Substring: [Substring]] = [:]
        let target =
            #/\w\.(?:library|cLibrary)\(\s*"(\w+)"(?:,\s*(facade\s*\+ )?(?:"""\n([^"]*)"""|"([^"\n]*)"))?/#
        for match in manifest.matches(of: target) {
            let named = (match.3 ?? match.4 ?? "").split(whereSeparator: \.isWhitespace)
            imports[match.1] = named + (match.2 == nil ? [] : facade)
        }
        self.imports = imports
        let others = try manifest.matches(of: #/"(\w+)": \("([\w-]+)", ([^\n]*)\),\n/#).map {
            ($0.1, (package: $0.2, traits: try Self.traits(of: $0.3)))
        }
        self.others = Dictionary(others) { first, _ in first }
        let packages = manifest.matches(of: #/\.package\(url: "([^"]*/([\w-]+))", from: "([^"]*)"/#).map {
            ($0.2, (url: $0.1, version: $0.3))
        }
        self.packages = Dictionary(packages) { first, _ in first }
        #expect(products.count > 15 && others.count > 15 && facade.count > 10 && packages.count > 10)
        #expect(imports.count > 40)
    }

    /// The traits of an expression in the table of products.
    private static func traits(of expression: Substring) throws -> Set<Trait> {
        let byName: [Substring: Set<Trait>] = [
            "[]": [], "all": [.everything], "forClients": [.everything, .clients],
            "forStudy": [.everything, .study], "forClients.union(forStudy)": [.everything, .clients, .study],
            "forHandler": [.everything, .clients, .study, .handler],
        ]
        return try #require(byName[expression], "\(expression)")
    }

    /// The modules that a product brings; none if there is no such product.
    func modules(of name: Substring, in package: Substring) -> Set<Substring> {
        if package == "sallyport" { return products[name] ?? [] }
        return others[name]?.package == package ? [name] : []
    }

    /// The trait that brings the least of those with which these products of this package build.
    func trait(of names: [Substring]) throws -> Trait {
        var fitting = Set(Trait.allCases)
        var waiting = names.flatMap { products[$0] ?? [] }
        var seen: Set<Substring> = []
        while let next = waiting.popLast() {
            if let traits = others[next]?.traits {
                fitting.formIntersection(traits)
            } else if seen.insert(next).inserted {
                waiting += imports[next] ?? []
            }
        }
        return try #require(Trait.allCases.first { fitting.contains($0) }, "\(names)")
    }
}
