import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { cleanEnvironment, root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const { uid } = userInfo();

describe("The folder by which the tasks find a running stack", () => {
  /** What tasks say that have this folder for temporary files: of the stacks that run, and of one that starts. */
  async function look(temporary: string, preload?: string): Promise<string[]> {
    const options = preload === undefined ? [] : ["--import", `data:text/javascript,${preload}`];
    const script = join(root, "test/fixtures/tasks/lookForStacks.ts");
    const env = cleanEnvironment({ TMPDIR: temporary, NODE_V8_COVERAGE: "" });
    const { stdout } = await promisify(execFile)(process.execPath, [...options, script], { env });
    return stdout.trimEnd().split("\n");
  }

  /** A folder for temporary files with one in it that has our name, and says that a stack runs. */
  async function fixture() {
    const temporary = await temporaryFolder();
    const folder = join(temporary, `hardhat-identity-${uid}`);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "7.json"), JSON.stringify({ port: 7, pid: process.pid }));
    return { temporary, folder };
  }

  const refusal = (folder: string) =>
    `InvalidInputError: ${folder} is not yours alone; remove it and try again.`;

  it("is believed when it is the user's alone, and made so where there is none", async () => {
    const { temporary } = await fixture();
    const [found = ""] = await look(temporary);
    expect(JSON.parse(found)).to.deep.equal([{ port: 7, pid: process.pid }]);
    const empty = await temporaryFolder();
    expect((await look(empty))[0]).to.equal("[]");
    expect(readdirSync(empty)).to.deep.equal([`hardhat-identity-${uid}`]);
    expect((await look(empty))[0]).to.equal("[]");
  });

  it("is refused when another user has made it", async () => {
    const { temporary, folder } = await fixture();
    // Whoever cannot give a folder away is told to be somebody else.
    const isRoot = uid === 0;
    if (isRoot) chownSync(folder, 65_534, 65_534);
    const preload = isRoot ? undefined : `process.getuid=()=>${uid + 1}`;
    expect(await look(temporary, preload)).to.deep.equal([refusal(folder), refusal(folder)]);
  });

  it("is refused when others may look in, or it leads elsewhere", async () => {
    const { temporary, folder } = await fixture();
    for (const mode of [0o750, 0o705, 0o777]) {
      chmodSync(folder, mode);
      expect(await look(temporary), mode.toString(8)).to.deep.equal([refusal(folder), refusal(folder)]);
    }
    chmodSync(folder, 0o700);
    const another = await temporaryFolder();
    const link = join(another, `hardhat-identity-${uid}`);
    symlinkSync(folder, link);
    expect(await look(another)).to.deep.equal([refusal(link), refusal(link)]);
  });
});
