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
        let lists = ["facade", "core"].map { name in
            let text = manifest.split(separator: "let \(name) = ").dropFirst().first ?? ""
            return (name: name, words: text.firstMatch(of: #/^"(?:""\n)?([^"]*)"/#)?.1 ?? "")
        }
        // The words of a list, which may have other lists inside.
        func words(_ text: Substring) -> [Substring] {
            let whole = lists.reduce(String(text)) { $0.replacing("\\(\($1.name))", with: $1.words) }
            return Substring(whole).split(whereSeparator: \.isWhitespace)
        }
        var products: [Substring: Set<Substring>] = [:]
        for match in manifest.matches(of: /\bproduct\("(\w+)"(?:, (facade \+ )?"([^"]*)")?\)/) {
            let targets = words(match.3 ?? "") + (match.2 == nil ? [] : words("\\(facade)"))
            products[match.1] = Set(targets).union([match.1])
        }
        self.products = products
        var imports: [Substring: [Substring]] = [:]
        for match in manifest.matches(
            of: #/\w\.(?:library|cLibrary)\(\s*"(\w+)"(?:,\s*(?:"""\n([^"]*)"""|"([^"\n]*)"))?/#
        ) {
            imports[match.1] = words(match.2 ?? match.3 ?? "")
        }
        self.imports = imports
        var others: [Substring: (package: Substring, traits: Set<Trait>)] = [:]
        var packages: [Substring: (url: Substring, version: Substring)] = [:]
        let needed = #/Needed\(\s*"([\w-]+\/([\w-]+))",\s*"([0-9.]+)",\s*([\w.()\[\]]+),\s*"([^"]*)"/#
        for match in manifest.matches(of: needed) {
            packages[match.2] = (url: "https://github.com/\(match.1)", version: match.3)
            let traits = try Self.traits(of: match.4)
            for product in words(match.5) { others[product] = (package: match.2, traits: traits) }
        }
        (self.others, self.packages) = (others, packages)
        #expect(products.count > 12 && others.count > 15 && packages.count > 10 && words("\\(facade)").count > 10)
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
