internal import ArgumentParser
internal import OfflineVerbs

/// `sallyport study` with the import, which validates chains.
struct AllStudyCommand: ParsableCommand {
    static let configuration = OfflineVerbs.study(and: [StudyImportCommand.self])
}
