import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "npm installs on in the background after Ctrl-C",
    file: "scripts/run.mjs",
    from: "process.kill(-npm.pid,",
    to: "process.kill(process.pid,",
    tests: ["test/scripts/run.test.ts"],
  },
  {
    what: "the README's configuration lacks an import",
    file: "README.md",
    from: `import { defineConfig } from "hardhat/config";\n`,
    to: "",
    tests: ["test/docs/landing.test.ts"],
  },
  {
    what: "an error of the service has no heading, so a search finds only the page",
    file: "docs/errors/service.md",
    from: "### `needs_reauth`\n\n",
    to: "- `needs_reauth`: ",
    tests: ["test/signer/docs.test.ts"],
  },
  {
    what: "the pictures for readers who want no motion are gone",
    file: "README.md",
    from: `srcset="docs/images/same-person-refused.png"`,
    to: `srcset="docs/images/journey.webp"`,
    tests: ["test/web/pictures.long.test.ts: shows the animation, but a still to readers who want no motion"],
  },
  {
    what: "each group of the site's tabs keeps its own choice",
    file: "docs/.vitepress/theme/tabs.ts",
    from: "    openChosen();\n",
    to: "",
    tests: [
      "test/docs/site.long.test.ts: opens the tab that was chosen in every group, on the next page, too",
    ],
  },
  {
    what: "the site's search for a page's title shows errors first",
    file: "docs/.vitepress/config.ts",
    from: "? 2 * weight : weight",
    to: "? weight : weight",
    tests: [
      "test/docs/site.long.test.ts: finds a page by its title before headings that have the word, too, and by a whole question",
    ],
  },
  {
    what: "the site shows the blocks of tabs one after the other",
    file: "docs/.vitepress/config.ts",
    from: "<!-- tabs -->$(",
    to: "<!--tabs-->$(",
    tests: [
      "test/docs/site.long.test.ts: makes tabs of blocks that GitHub shows one after the other, under bold labels",
    ],
  },
  {
    what: "GitHub shows the colons of a container that only the site knows",
    file: "docs/testing.md",
    from: "## Test refusals\n\n",
    to: "## Test refusals\n\n::: tip\n\n",
    tests: ["test/docs/links.test.ts: has no container of VitePress, whose colons GitHub would show"],
  },
  {
    what: "the site's pictures follow the system's colours, whatever the reader has chosen",
    file: "docs/.vitepress/theme/scheme.ts",
    from: 'isDark ? "(min-width: 0)" : "(max-width: 0)"',
    to: "asked",
    tests: [
      "test/docs/site.long.test.ts: shows the dark pictures where the reader has chosen dark, whatever the system's colours",
    ],
  },
  {
    what: "the site's search knows whole names only",
    file: "docs/.vitepress/config.ts",
    from: ".split(/(?<=[a-z])(?=[A-Z])/)",
    to: ".split()",
    tests: ["test/docs/site.long.test.ts: finds a name on the site first by a part of it"],
  },
  {
    what: "a promise counts as kept at the limit that it is not to reach",
    file: "bench/report/report.ts",
    from: "value < under",
    to: "value <= under",
    tests: ["test/bench/report.test.ts"],
  },
];
