import type { Fault } from "./fault.ts";

export const faults: readonly Fault[] = [
  {
    what: "npm installs on in the background after Ctrl-C",
    file: "scripts/install.mjs",
    from: "process.kill(-npm.pid,",
    to: "process.kill(process.pid,",
    tests: ["test/scripts/install.test.ts"],
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
    tests: ["test/web/pictures.test.ts: shows the animation, but a still to readers who want no motion"],
  },
];
