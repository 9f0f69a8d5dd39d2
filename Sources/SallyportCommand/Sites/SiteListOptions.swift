internal import AllowedSites
internal import ArgumentParser

/// Which lists are asked, and how they are read.
struct SiteListOptions: ParsableArguments {
    @Option(
        name: .customLong("list"),
        help: ArgumentHelp(
            "A list of rules; of several, the first one grants and the others narrow.",
            valueName: "file"
        )
    )
    var lists: [String] = []

    @Option(
        name: .customLong("image"),
        help: ArgumentHelp("A compiled list, in place of one; images are asked before lists.", valueName: "file")
    )
    var images: [String] = []

    @OptionGroup var format: SiteListFormat

    func validate() throws {
        let count = lists.count + images.count
        guard count > 0 else { throw ValidationError("Name a list with --list, or a compiled one with --image.") }
        guard count <= LayeredSites.maximumCount else {
            throw ValidationError("At most \(LayeredSites.maximumCount) lists can be asked together.")
        }
    }

    /// Opens every image, and reads and compiles every list; names what is wrong on standard error.
    ///
    /// - Throws: ``CommandExit/couldNotRun``.
    func load(verb: String) throws -> LayeredSites {
        var layers: [LayeredSites.Layer] = []
        for file in images {
            let sites = try StageProgress.run("validating \(file)") { try open(file, verb) }
            layers.append(LayeredSites.Layer(name: file, sites: sites))
        }
        for file in lists {
            let list = try StageProgress.run("reading \(file)") { try format.read(file, verb: verb) }
            let sites = StageProgress.run("compiling \(file)") { SiteTrie(compiling: list) }
            layers.append(LayeredSites.Layer(name: file, sites: sites))
        }
        // Their number was checked with the arguments.
        guard let sites = LayeredSites(layers) else { throw CommandExit.couldNotRun }
        return sites
    }

    /// An image may come from anywhere, so every byte of it is validated.
    private func open(_ file: String, _ verb: String) throws -> SiteTrie {
        do throws(TrieImageError) {
            return try SiteTrie(mappingImageAt: file)
        } catch {
            StandardError.write("sallyport sites \(verb): \(file): \(error)\n")
            throw CommandExit.couldNotRun
        }
    }
}
