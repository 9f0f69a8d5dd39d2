// What needs SwiftNIO, TLS or AsyncHTTPClient is built after this file. A package that lacks the trait therefore gets this error alone, and not one for each missing module.
#if !Clients && !Everything
    #error(
        "the adapters (SallyportNIO and others) and SallyportRelay need the trait Clients, named where your package depends on sallyport: .package(url: ..., traits: [\"Clients\"])"
    )
#endif
