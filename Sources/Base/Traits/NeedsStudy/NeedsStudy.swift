// What needs statistics or large integers is built after this file. A package that lacks the trait therefore gets this error alone, and not one for each missing module.
#if !Study && !Everything
    #error(
        "PinAudits and PinningStudy need the trait Study, named where your package depends on sallyport: .package(url: ..., traits: [\"Study\"])"
    )
#endif
