#if Service
/// How the gallery looks: light and dark, from 320 pixels of width on.
enum GalleryStyle {
    static let css = """
        :root {
          color-scheme: light dark;
          --page: #f6f5f2; --sheet: #ffffff; --line: #dcd9d2; --ink: #1d1f23; --soft: #5c6068; --hole: #e9e6df;
          --accent: #1f5fa8; --track: #e4e1da;
          --memory: #176a3c; --memory-sheet: #d9f0e1; --disk: #1c5796; --disk-sheet: #dbe9f9;
          --revalidated: #6a3a9c; --revalidated-sheet: #ecdff8; --render: #8a4b00; --render-sheet: #fbe6c8;
          --failed: #a3212b; --failed-sheet: #fadcdd; --waiting: #5c6068; --waiting-sheet: #eceae5;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #14161a; --sheet: #1d2026; --line: #343943; --ink: #eceef2; --soft: #a4abb8; --hole: #262a32;
            --accent: #8fbcf5; --track: #31363f;
            --memory: #8fe0ae; --memory-sheet: #173a27; --disk: #9cc7fb; --disk-sheet: #18324f;
            --revalidated: #d3b3f7; --revalidated-sheet: #38254f; --render: #ffcb85; --render-sheet: #47300f;
            --failed: #ffadb1; --failed-sheet: #50191e; --waiting: #a4abb8; --waiting-sheet: #2a2f38;
          }
        }
        [data-source="memory"] { --mark: var(--memory); --mark-sheet: var(--memory-sheet); }
        [data-source="disk"] { --mark: var(--disk); --mark-sheet: var(--disk-sheet); }
        [data-source="revalidated"] { --mark: var(--revalidated); --mark-sheet: var(--revalidated-sheet); }
        [data-source="render"] { --mark: var(--render); --mark-sheet: var(--render-sheet); }
        [data-source="failed"] { --mark: var(--failed); --mark-sheet: var(--failed-sheet); }
        [data-source="waiting"], [data-source="loading"] { --mark: var(--waiting); --mark-sheet: var(--waiting-sheet); }

        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { scroll-padding: 6.5rem 0 1rem; }
        body {
          margin: 0 auto; padding: 0 clamp(0.75rem, 3vw, 2rem) 3rem; max-width: 110rem; background: var(--page);
          color: var(--ink); font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
          font-variant-numeric: tabular-nums;
        }
        h1, p, ul { margin: 0; padding: 0; }
        ul { list-style: none; }
        .unseen {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        .skip {
          position: absolute; left: 0.75rem; top: -4rem; z-index: 3; padding: 0.5rem 0.9rem; border-radius: 0.5rem;
          background: var(--accent); color: var(--page);
        }
        .skip:focus { top: 0.5rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        button {
          font: inherit; color: inherit; background: var(--sheet); border: 1px solid var(--line);
          border-radius: 0.5rem; padding: 0.45rem 0.9rem; min-height: 2.5rem; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        button:active { background: var(--hole); }
        button[aria-disabled="true"] { color: var(--soft); cursor: default; border-color: var(--line); }
        #reload { background: var(--accent); border-color: var(--accent); color: var(--page); font-weight: 600; }

        header {
          display: grid; grid-template-columns: 1fr auto; gap: 1rem 1.5rem; align-items: end; padding: 1.75rem 0 1rem;
        }
        h1 { font-size: clamp(1.6rem, 1.2rem + 1.6vw, 2.3rem); line-height: 1.1; letter-spacing: -0.02em; font-weight: 650; }
        .heading p { color: var(--soft); margin-top: 0.3rem; }
        .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
        .caches {
          grid-column: 1 / -1; display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.75rem;
        }
        .level {
          display: grid; grid-template-columns: 1fr auto; gap: 0.15rem 0.75rem; padding: 0.7rem 0.9rem 0.8rem;
          background: var(--sheet); border: 1px solid var(--line); border-radius: 0.6rem; font-size: 0.875rem;
        }
        .level .name { color: var(--soft); }
        .level .value { text-align: right; }
        .gauge, .share { display: flex; height: 0.4rem; border-radius: 0.2rem; background: var(--track); overflow: hidden; }
        .gauge { grid-column: 1 / -1; margin-top: 0.3rem; }
        .gauge span { background: var(--accent); min-width: 2px; border-radius: 0.2rem; }
        .process { grid-column: 1 / -1; color: var(--soft); font-size: 0.875rem; min-height: 1.3em; }

        .sums {
          position: sticky; top: 0; z-index: 2; padding: 0.7rem 0 0.75rem; background: var(--page);
          border-bottom: 1px solid var(--line); margin-bottom: 1.1rem;
        }
        .total { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.35rem; }
        .total strong { font-size: 1.15rem; }
        .more { display: inline-flex; flex-wrap: wrap; gap: 0 1rem; color: var(--soft); margin-left: auto; }
        .share { gap: 2px; height: 0.5rem; margin: 0.45rem 0 0.5rem; }
        .share span { background: var(--mark); flex: 0 1 0; }
        .legend { display: flex; flex-wrap: wrap; gap: 0.15rem 1.1rem; font-size: 0.875rem; color: var(--soft); }
        .legend li { display: inline-flex; align-items: center; gap: 0.35rem; }
        .legend li::before { content: ""; width: 0.65rem; height: 0.65rem; border-radius: 0.2rem; background: var(--mark); }
        .legend b { color: var(--ink); font-weight: 600; }

        .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11.5rem, 44vw), 1fr)); gap: 1.1rem 0.9rem; }
        .grid:focus { outline: none; }
        .tile { min-width: 0; }
        .tile button {
          display: block; position: relative; width: 100%; aspect-ratio: 1; padding: 0; border: 0; overflow: hidden;
          border-radius: 0.6rem; background: var(--hole); min-height: 0;
        }
        .tile img { display: block; width: 100%; height: 100%; object-fit: cover; opacity: 0; }
        .tile.shown img { opacity: 1; }
        .tile .problem { position: absolute; inset: 0; display: grid; place-items: center; padding: 0.75rem; }
        .problem { color: var(--failed); font-size: 0.875rem; text-align: center; overflow-wrap: anywhere; }
        .problem:empty { display: none !important; }
        .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .tile .name { margin-top: 0.4rem; font-size: 0.875rem; }
        .facts { display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.5rem; font-size: 0.8125rem; color: var(--soft); }
        .badge {
          display: inline-block; padding: 0.05rem 0.45rem; border-radius: 0.35rem; background: var(--mark-sheet);
          color: var(--mark); font-weight: 600; font-size: 0.75rem; line-height: 1.5;
        }
        .tile .badge { position: absolute; left: 0.45rem; bottom: 0.45rem; box-shadow: 0 0 0 1px rgb(0 0 0 / 0.08); }
        .tile .facts { min-height: 1.45em; }
        .notice { padding: 2rem 0; color: var(--soft); text-align: center; }

        dialog {
          width: min(72rem, calc(100vw - 1.5rem)); max-width: none; max-height: calc(100dvh - 1.5rem); padding: 0;
          border: 1px solid var(--line); border-radius: 0.9rem; background: var(--sheet); color: var(--ink); overflow: hidden;
        }
        dialog[open] { display: flex; flex-direction: column; }
        dialog::backdrop { background: rgb(10 12 16 / 0.72); }
        .frame {
          display: grid; place-items: center; flex: 1 1 auto; min-height: 12rem; height: 70dvh; overflow: hidden;
          background: var(--hole);
        }
        .frame img { max-width: 100%; max-height: 100%; min-width: 0; min-height: 0; object-fit: contain; }
        .frame img:not([src]) { display: none; }
        .bar {
          display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; align-items: center; justify-content: space-between;
          padding: 0.9rem 1.1rem;
        }
        .bar > p { min-width: 0; flex: 1 1 14rem; }
        #large-name { display: block; font-weight: 600; overflow-wrap: anywhere; }

        @media (max-width: 46rem) {
          header { grid-template-columns: 1fr; gap: 0.85rem; padding-top: 1.1rem; }
          header .actions button { flex: 1 1 auto; padding-inline: 0.6rem; }
          .caches { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
          .level { grid-template-columns: 1fr; padding: 0.55rem 0.7rem 0.65rem; }
          .level .value { text-align: left; }
          .more { margin-left: 0; flex-basis: 100%; font-size: 0.875rem; }
          .legend { gap: 0.1rem 0.8rem; font-size: 0.8125rem; }
          .grid { gap: 0.9rem 0.7rem; }
          html { scroll-padding-top: 8.5rem; }
        }
        @media (max-width: 22rem) {
          .caches { grid-template-columns: 1fr; }
        }
        @media (prefers-reduced-motion: no-preference) {
          .tile img { transition: opacity 0.18s ease-out; }
          .gauge span, .share span { transition: flex-grow 0.25s ease-out, width 0.25s ease-out; }
          .tile.loading button { animation: wait 1.4s ease-in-out infinite alternate; }
          @keyframes wait { to { background: var(--track); } }
        }
        @media (forced-colors: active) {
          .badge, .gauge, .share, .tile button { border: 1px solid; }
          .gauge span, .share span, .legend li::before { forced-color-adjust: none; }
        }

        """
}
#endif
