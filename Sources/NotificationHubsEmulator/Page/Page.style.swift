extension Page {
    /// How it looks, by day and by night.
    static let style = """
        :root {
          color-scheme: light dark;
          --page: #eef1f6; --panel: #ffffff; --line: #dde2ec; --text: #161b26; --soft: #5b6577;
          --accent: #2457d6; --on-accent: #ffffff; --field: #f7f9fc; --card: #f7f9fc; --code: #eef1f7;
          --good: #12805c; --bad: #b3261e; --warn-back: #fff4dc; --warn-line: #e9c46a;
          --shadow: 0 1px 2px rgb(20 30 60 / .06), 0 4px 16px rgb(20 30 60 / .05);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #0e1117; --panel: #171c26; --line: #2a3140; --text: #e8ecf4; --soft: #9aa5b8;
            --accent: #8ab0ff; --on-accent: #0b1020; --field: #10151e; --card: #1d2431; --code: #10151e;
            --good: #5fd3a5; --bad: #ff8f86; --warn-back: #2c2512; --warn-line: #6b5620;
            --shadow: none;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; padding: 0 1.25rem 2rem; background: var(--page); color: var(--text);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
        }
        header {
          display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem;
          max-width: 90rem; margin: 0 auto; padding: 1rem 0;
        }
        h1 { font-size: 1.15rem; font-weight: 700; letter-spacing: -.01em; margin: 0; }
        h1 span { color: var(--soft); font-weight: 500; }
        h2 { font-size: .95rem; font-weight: 650; margin: 0 0 .75rem; }
        .hub { display: flex; align-items: center; gap: .5rem; margin: 0; }
        .hub select { width: auto; min-width: 8rem; }
        .tier, .state, .count {
          margin: 0; padding: .1rem .6rem; border-radius: 1rem; font-size: .8rem; font-weight: 600;
          background: var(--code); color: var(--soft); border: 1px solid var(--line);
        }
        .state::before { content: "● "; color: var(--soft); }
        .state[data-state=live]::before { color: var(--good); }
        .state[data-state=lost] { color: var(--bad); }
        .state[data-state=lost]::before { color: var(--bad); }
        #reset { margin-left: auto; }
        main {
          display: grid; gap: 1.25rem; max-width: 90rem; margin: 0 auto; align-items: start;
          grid-template-columns: minmax(17rem, 20rem) minmax(0, 1fr) minmax(17rem, 23rem);
        }
        @media (max-width: 72rem) { main { grid-template-columns: minmax(17rem, 20rem) minmax(0, 1fr); } }
        @media (max-width: 72rem) { .side { grid-column: 1 / -1; } }
        @media (max-width: 44rem) { main { grid-template-columns: minmax(0, 1fr); } }
        .side { display: grid; gap: 1.25rem; }
        .panel {
          background: var(--panel); border: 1px solid var(--line); border-radius: .9rem; padding: 1.1rem 1.2rem;
          box-shadow: var(--shadow);
        }
        .access { max-width: 26rem; margin: 2rem auto; }
        label { display: block; font-size: .85rem; font-weight: 600; color: var(--soft); margin: .75rem 0 .25rem; }
        input, select, textarea, button { font: inherit; color: inherit; }
        input:not([type=radio]), select, textarea {
          width: 100%; padding: .45rem .6rem; border: 1px solid var(--line); border-radius: .5rem;
          background: var(--field);
        }
        input:disabled { opacity: .5; }
        textarea, pre, code, .id { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        textarea { font-size: .85rem; resize: vertical; }
        fieldset { border: 0; margin: .9rem 0 0; padding: 0; }
        legend { font-size: .85rem; font-weight: 600; color: var(--soft); padding: 0; }
        .choice { display: flex; gap: .5rem; align-items: center; margin: .2rem 0; font-weight: 400; color: var(--text); }
        .choice input { accent-color: var(--accent); margin: 0; }
        fieldset input#target { margin-top: .4rem; }
        button {
          margin-top: 1rem; padding: .5rem 1.2rem; border-radius: .5rem; border: 1px solid transparent;
          background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer;
        }
        button.quiet {
          margin: 0; padding: .25rem .75rem; background: transparent; color: var(--soft); border-color: var(--line);
          font-weight: 500; font-size: .85rem;
        }
        button:hover { filter: brightness(1.08); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        output { display: block; margin-top: .8rem; font-size: .85rem; overflow-wrap: anywhere; }
        output.good { color: var(--good); }
        output.bad { color: var(--bad); }
        .bar { display: flex; gap: 1rem; align-items: center; justify-content: space-between; margin-bottom: .9rem; }
        .bar h2 { margin: 0; }
        .bar input { width: 12rem; max-width: 50%; }
        .count { margin-left: .35rem; }
        .empty { color: var(--soft); margin: .5rem 0; }
        ol, ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
        ol li, ul li {
          background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: .75rem .9rem;
          overflow-wrap: anywhere; min-width: 0;
        }
        .head { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: center; font-size: .8rem; color: var(--soft); }
        .head .id { color: var(--text); font-weight: 600; }
        .head time { margin-left: auto; font-variant-numeric: tabular-nums; }
        .platform {
          font-size: .68rem; font-weight: 700; letter-spacing: .04em; text-transform: uppercase;
          padding: .1rem .45rem; border-radius: .35rem; background: var(--accent); color: var(--on-accent);
        }
        .title { margin: .4rem 0 0; font-weight: 650; }
        .text { margin: .3rem 0 0; font-size: 1.02rem; white-space: pre-wrap; }
        .title + .text { margin-top: 0; }
        details { margin-top: .5rem; font-size: .85rem; }
        summary { cursor: pointer; color: var(--soft); }
        pre {
          background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .7rem;
          margin: .5rem 0; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem;
        }
        .tags { display: flex; flex-wrap: wrap; gap: .3rem; margin-top: .45rem; }
        .tag {
          font-size: .78rem; padding: .05rem .5rem; border-radius: 1rem; background: var(--code);
          border: 1px solid var(--line);
        }
        #warning-list li { background: var(--warn-back); border-color: var(--warn-line); font-size: .9rem; }
        #warning-list p { margin: .2rem 0 0; }
        #installation-list, #registration-list, #warning-list { max-height: 26rem; overflow-y: auto; }
        .new { animation: arrive .6s ease-out; }
        @keyframes arrive { from { transform: translateY(-.5rem); opacity: 0; border-color: var(--accent); } }
        @media (prefers-reduced-motion: reduce) { .new { animation: none; } }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .skip { position: absolute; left: -99rem; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--panel); padding: .4rem .8rem; border-radius: .5rem; }
        [hidden] { display: none !important; }
        """
}
