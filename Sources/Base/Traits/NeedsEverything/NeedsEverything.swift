// What needs the packages of the command is built after this file. A package that lacks the trait therefore gets this error alone, and not one for each missing module.
#if !Everything
    #error(
        "the command sallyport needs the trait Everything, named where your package depends on sallyport: .package(url: ..., traits: [\"Everything\"])"
    )
#endif
