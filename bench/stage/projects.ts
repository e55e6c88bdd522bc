import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const solc = createRequire(import.meta.url).resolve("solc/soljson.js");

const config = (hasPlugin: boolean) => `import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
${hasPlugin ? 'import hardhatIdentity from "hardhat-identity";\n' : ""}import { defineConfig } from "hardhat/config";

export default defineConfig({
  plugins: [toolbox${hasPlugin ? ", hardhatIdentity" : ""}],
  solidity: { version: "0.8.37", path: ${JSON.stringify(solc)} },
});
`;

const scripts = {
  "nothing.ts": 'console.log("done");\n',
  "connect.ts": `import { network } from "hardhat";

await network.create();
console.log("done");
`,
};

/**
 * Two projects that differ in the plugin alone.
 *
 * @param packed A project whose packages they use.
 */
export function prepareProjects(within: string, packed: string): { plugin: string; plain: string } {
  const create = (name: string, hasPlugin: boolean) => {
    const folder = join(within, name);
    mkdirSync(join(folder, "scripts"), { recursive: true });
    symlinkSync(join(packed, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, type: "module", private: true }));
    writeFileSync(join(folder, "hardhat.config.ts"), config(hasPlugin));
    for (const [file, text] of Object.entries(scripts)) writeFileSync(join(folder, "scripts", file), text);
    return folder;
  };
  return { plugin: create("with-plugin", true), plain: create("without-plugin", false) };
}
