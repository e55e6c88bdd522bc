import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { readModule, readParameters } from "../../tasks/internal/deployment/readModule.ts";
import { rejection } from "../fixtures/rejection.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const owner = "0x52908400098527886E0F7030069857D2E4169EE7";
const expected = { SignerRegistry: { owner } };

describe("readParameters", () => {
  it("reads a file of JSON or JSON5", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.json"), JSON.stringify(expected));
    await writeFile(join(folder, "a.json5"), `// The registry's\n{ SignerRegistry: { owner: "${owner}" } }`);
    expect(await readParameters(join(folder, "a.json"), "SignerRegistry", folder)).to.deep.equal(expected);
    expect(await readParameters(join(folder, "a.json5"), "SignerRegistry", folder)).to.deep.equal(expected);
  });

  it("reads the parameters themselves", async () => {
    const text = `{ SignerRegistry: { owner: "${owner}" } }`;
    expect(await readParameters(text, "SignerRegistry", await temporaryFolder())).to.deep.equal(expected);
  });

  it("refuses a text that is no JSON5, such as one whose quotes a shell has taken away", async () => {
    const refused = await rejection(readParameters("{Airdrop: {registry: 0x5FbDB}", "Airdrop", root));
    expect(refused).to.be.instanceOf(InvalidInputError);
    expect(refused.message).to.match(/^--parameters must be a file that ends in .*JSON5: invalid end/);
  });

  it("reads the module's own file by default, which may be missing", async () => {
    const folder = await temporaryFolder();
    expect(await readParameters(undefined, "SignerRegistry", folder)).to.deep.equal({});
    expect(await readParameters(undefined, "SignerRegistry", join(folder, "none"))).to.deep.equal({});
    await writeFile(join(folder, "SignerRegistry.config.json"), JSON.stringify(expected));
    expect(await readParameters(undefined, "SignerRegistry", folder)).to.deep.equal(expected);
    expect(await readParameters(undefined, "Ballot", folder)).to.deep.equal({});
  });
});

describe("readModule", () => {
  it("loads a module, and leaves the error about a missing one to Ignition", async () => {
    expect((await readModule(join(root, "ignition/modules/Ballot.ts")))?.id).to.equal("Ballot");
    expect(await readModule(join(root, "ignition/modules/Missing.ts"))).to.equal(undefined);
    const file = join(await temporaryFolder(), "Named.mjs");
    await writeFile(file, "export const named = {};");
    expect(await rejection(readModule(file))).to.include({
      message: `${file} exports no Ignition module: write export default buildModule(…).`,
    });
  });
});
