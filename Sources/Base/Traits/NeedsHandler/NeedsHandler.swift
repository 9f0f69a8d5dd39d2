// What needs swift-crypto or swift-http-types is built after this file. A package that lacks the trait therefore gets this error alone, and not one for each missing module.
#if !Handler && !Clients && !Study && !Everything
    #error(
        "Sallyport and this product need the trait Handler, named where your package depends on sallyport: .package(url: ..., traits: [\"Handler\"])"
    )
#endif
