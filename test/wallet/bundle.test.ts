import { expect } from "chai";
import { build } from "esbuild";
import { root } from "../fixtures/tasks/hardhat.ts";

describe("The wallet as a browser gets it", () => {
  it("needs nothing of Node and no package but the protocol", async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["packages/wallet/wallet.ts"],
      bundle: true,
      // Fails on what only Node has.
      platform: "browser",
      format: "esm",
      write: false,
      metafile: true,
    });
    const rooms = Object.keys(metafile.inputs).filter((file) => !file.startsWith("node_modules/"));
    expect(rooms).to.satisfy((files: string[]) =>
      files.every((file) => /^packages\/(wallet|protocol)\//.test(file)),
    );
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).to.deep.equal([]);
  });
});
