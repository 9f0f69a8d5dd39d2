import Foundation
import Testing

/// Each Swift block of README and of a page is run by a test, as it stands there.
@Suite struct SnippetTests {
    /// Programs that run snippets by name, and the tests that call them.
    private static let programs = [
        "Tests/TestProgram/Snippets": "Tests/RepositoryTests",
        "Tests/TestProgram/Kerberos": "Tests/Schemes/SystemKerberosTests",
    ]

    private static func blocks() throws -> [PageBlock] { try Repository.allPages().flatMap(PageBlock.all) }

    /// The files with snippets: their names say so.
    private static func snippetFiles() throws -> [SnippetFile] {
        try Repository.swiftFiles(below: "Tests").filter {
            $0.file.contains("Snippet") && !$0.file.hasSuffix("Tests.swift") && !$0.file.contains("/SnippetRun")
        }.map { SnippetFile(path: $0.file, text: $0.text) }
    }

    /// The files with snippets that only Apple's compilers could build. `.ci/check-apple` type-checks them.
    private static func appleFiles() throws -> [SnippetFile] {
        try Repository.swiftFiles(below: ".ci/apple/snippets").map { SnippetFile(path: $0.file, text: $0.text) }
    }

    @Test("Every Swift block stands in one function that a test calls, word for word and with its imports alone")
    func everyBlockRuns() throws {
        let (blocks, apples) = (try Self.blocks(), try Self.appleFiles())
        let files = try Self.snippetFiles() + apples
        let all = try Repository.swiftFiles(below: "Tests")
        #expect(blocks.count > 50)
        var imports: [String: Set<Substring>] = [:]
        for block in blocks {
            let places = files.filter { $0.names(block.page) }
                .flatMap { file in file.places(of: block).map { (file: file, line: $0) } }
            #expect(places.count == 1, "\(block): stands in \(places.map(\.file.path))")
            guard let (file, line) = places.first else { continue }
            imports[file.path, default: []].formUnion(block.imports)
            if apples.contains(where: { $0.path == file.path }) { continue }
            let call = try #require(file.callable(at: line), "\(block)")
            let isCalled = all.contains { other in
                // A type may be used by the next snippet of its file.
                let text = other.file == file.path ? other.text.replacing("class \(call)", with: "") : other.text
                return (other.file != file.path || !call.contains(".")) && text.contains(call)
            }
            #expect(isCalled, "\(block): no test calls \(call)…)")
        }
        for file in files {
            guard let named = imports[file.path] else { continue }
            #expect(file.imports == named, "\(file.path)")
        }
    }

    @Test("Every snippet of a program is run by a test") func programs() throws {
        for (program, tests) in Self.programs {
            let names = try Repository.swiftFiles(below: program).flatMap { $0.text.matches(of: /case ("[a-z-]+"):/) }
                .map { String($0.1) }
            #expect(names.count > 3)
            let texts = try Repository.swiftFiles(below: tests).map(\.text)
            for name in names { #expect(texts.contains { $0.contains(name) }, "\(program): \(name)") }
        }
    }

    @Test("Every page with a Swift block names products that have its modules, and that exist")
    func products() throws {
        let manifest = try PackageManifest()
        for page in try Repository.allPages() {
            let blocks = PageBlock.all(of: page)
            guard !blocks.isEmpty else { continue }
            #expect(blocks.allSatisfy { !$0.imports.isEmpty }, "\(page.path): the first block has no imports")
            let named = page.text.matches(of: /\.product\(name: "(\w+)", package: "([\w-]+)"\)/).map { ($0.1, $0.2) }
            // The modules of the systems themselves.
            var modules: Set<Substring> = ["Foundation", "WebKit"]
            for (name, package) in named {
                let found = manifest.modules(of: name, in: package)
                #expect(!found.isEmpty, "\(page.path): \(package) has no product \(name)")
                modules.formUnion(found)
            }
            if page.text.contains("no product has it") {
                let module = Substring(URL(filePath: page.path).deletingPathExtension().lastPathComponent)
                #expect(named.isEmpty && !manifest.products.values.contains { $0.contains(module) }, "\(page.path)")
                continue
            }
            let missing = blocks.reduce(into: Set<Substring>()) { $0.formUnion($1.imports) }.subtracting(modules)
            #expect(missing.isEmpty, "\(page.path): no product that it names has \(missing.sorted())")
        }
    }
}
