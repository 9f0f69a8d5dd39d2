/// The style sheet of a page: the colours of Okabe and Ito (2008), which colour-blind readers can distinguish, and
/// different shapes.
enum PageStyle {
    static let text = """
        :root { --ground: #fff; --ink: #1a1a1a; --soft: #595959; --rule: #d9d9d9; --early: #b84a00; --late: #0068a3;
          --root: #00795a; --band: #0068a31f; --between: #0068a340; --panel: #f5f6f8; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #14161a; --ink: #ececec; --soft: #b4b4b4; --rule: #3a3f47; --early: #f0a030; --late: #62bdf0;
            --root: #35c79c; --band: #62bdf026; --between: #62bdf04d; --panel: #1d2026; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
        h1 { font-size: 1.5rem; line-height: 1.2; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem; }
        h3 { font-size: 1rem; margin: 0 0 .2rem; }
        p { max-width: 46rem; margin: .4rem 0 .8rem; overflow-wrap: anywhere; }
        .advice { background: var(--panel); border-left: 4px solid var(--late); padding: .7rem .9rem; }
        .grid { display: grid; gap: 1.2rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr)); }
        .wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 330px), 1fr)); align-items: start; }
        figure { margin: 0; max-width: 30rem; } svg { display: block; width: 100%; height: auto; }
        .whole { white-space: nowrap; }
        figcaption { color: var(--soft); font-size: .85rem; }
        svg text { font: 11px system-ui, sans-serif; fill: var(--ink); }
        svg .tick, svg .label { fill: var(--soft); } svg .row { font-size: 11px; } svg .front { font-weight: 700; }
        .grid line, line.grid { stroke: var(--rule); stroke-width: 1; } line.half { stroke-dasharray: 3 3; }
        line.axis { stroke: var(--soft); stroke-width: 1; }
        .band { fill: var(--band); } .between { fill: var(--between); }
        .early, .late { fill: none; stroke-width: 1.8; } .early { stroke: var(--early); stroke-dasharray: 5 2; }
        .late { stroke: var(--late); } .early-open { stroke-width: 1; stroke-dasharray: 2 2; } .late-open { stroke-width: 1; }
        .early-text, svg .early-text { color: var(--early); fill: var(--early); }
        .late-text, svg .late-text { color: var(--late); fill: var(--late); }
        .grid line.life { stroke: var(--soft); stroke-width: 1.5; }
        .leaf-mark { stroke: var(--late); stroke-width: 1.6; } .issuer-mark { fill: var(--early); } .root-mark { fill: var(--root); }
        .grid line.issuer-span { stroke: var(--early); stroke-width: 3.5; } .grid line.root-span { stroke: var(--root); stroke-width: 3.5; }
        .key-leaf { color: var(--late); } .key-issuer { color: var(--early); } .key-root { color: var(--root); }
        .front-mark { fill: var(--late); } .mark { fill: var(--ground); stroke: var(--late); stroke-width: 1.8; }
        .early-mark { stroke: var(--early); }
        .grid line.whisker { stroke: var(--late); stroke-width: 1.5; } .grid line.leader { stroke: var(--soft); stroke-width: .7; }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
        th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); }
        th { white-space: nowrap; } thead th { white-space: normal; vertical-align: bottom; } th:first-child { text-align: left; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--soft); }
        dd { margin: 0; overflow-wrap: anywhere; }

        """
}
