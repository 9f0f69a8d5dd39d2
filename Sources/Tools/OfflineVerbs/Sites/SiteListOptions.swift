internal import AllowedSites
internal import ArgumentParser

/// Which lists decide, and how they are read.
struct SiteListOptions: ParsableArguments {
    @Option(
        name: .customLong("list"),
        help: ArgumentHelp(
            "A list of rules, or - for standard input; of several lists and images, the first one named grants and the others narrow.",
            valueName: "file"
        ),
        transform: SiteSource.list
    )
    var lists: [SiteSource] = []

    @Option(
        name: .customLong("image"),
        help: ArgumentHelp("A compiled list, in place of one.", valueName: "file"),
        transform: SiteSource.image
    )
    var images: [SiteSource] = []

    @OptionGroup var format: SiteListFormat

    func validate() throws {
        let count = lists.count + images.count
        guard count > 0 else { throw ValidationError("Name a list with --list, or a compiled one with --image.") }
        guard count <= LayeredSites.maximumCount else {
            throw ValidationError("At most \(LayeredSites.maximumCount) lists can be used together.")
        }
        guard lists.count(where: isStandardInput) <= 1 else {
            throw ValidationError("Only one list can come from standard input.")
        }
        guard !images.contains(where: isStandardInput) else {
            throw ValidationError("An image is mapped: write it to a file, and name that with --image.")
        }
        guard !lists.isEmpty || !format.isGiven else {
            throw ValidationError("--dialect and --lenient have no effect on images: remove them.")
        }
    }

    /// Whether one of the lists comes from standard input.
    var takeStandardInput: Bool { lists.contains(where: isStandardInput) }

    private func isStandardInput(_ source: SiteSource) -> Bool { ListBytes.namesStandardInput(source.file) }

    /// Opens every image, and reads and compiles every list; reports problems on standard error.
    ///
    /// - Throws: ``CommandExit/couldNotRun``.
    func load(verb: String) throws -> LayeredSites {
        var layers: [LayeredSites.Layer] = []
        for source in (lists + images).sorted() {
            let name = source.isImage ? source.file : FileProblem.name(of: source.file)
            let sites =
                try source.isImage
                ? image(source.file, verb) : list(source.file, name, verb, narrows: !layers.isEmpty)
            layers.append(LayeredSites.Layer(name: name, sites: sites))
        }
        // `validate()` has checked the number of lists.
        guard let sites = LayeredSites(layers) else { throw CommandExit.couldNotRun }
        return sites
    }

    private func list(_ file: String, _ name: String, _ verb: String, narrows: Bool) throws -> SiteTrie {
        let list = try StageProgress.run("reading \(name)") {
            try format.read(file, verb: verb, narrows: narrows)
        }
        return StageProgress.run("compiling \(name)") { SiteTrie(compiling: list) }
    }

    /// An image may come from anywhere, so every byte of it is validated.
    private func image(_ file: String, _ verb: String) throws -> SiteTrie {
        do {
            return try StageProgress.run("validating \(file)") { try SiteTrie(mappingImageAt: file) }
        } catch {
            StandardError.write("sallyport sites \(verb): \(file.inOneLine): \(error)\n")
            throw CommandExit.couldNotRun
        }
    }
}
