import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { mock } from "node:test";
import { expect } from "chai";
import {
  announceStack,
  findStack,
  listStacks,
  type RunningStack,
  temporaryStorePrefix,
} from "../../tasks/internal/stack/running.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const uid = process.getuid?.() ?? -1;
const name = `hardhat-identity-${uid}`;
const nobody = `0x${"00".repeat(20)}`;

/** A stack of a process that runs: this one. */
const stackOn = (port: number, changed: Partial<RunningStack> = {}): RunningStack => ({
  rpcUrl: "http://127.0.0.1:1",
  signerUrl: "http://127.0.0.1:2",
  chainId: 84532,
  registry: nobody,
  signer: nobody,
  consumers: {},
  pid: process.pid,
  port,
  databaseUrl: "file:none",
  folder: process.cwd(),
  ...changed,
});

/** Has a folder of the test's taken for that of temporary files. */
async function useTemporaryFolder(): Promise<string> {
  const temporary = await temporaryFolder();
  setEnvironment({ TMPDIR: temporary });
  return temporary;
}

/** The file that announces a stack. */
function fileOf(temporary: string, port: number): string {
  const folder = join(temporary, name);
  return join(folder, readdirSync(folder).find((file) => file.startsWith(`${port}-`)) ?? "none");
}

/** Id of a process that has ended. */
const endedProcess = () => spawnSync(process.execPath, ["--version"]).pid;

describe("The folder by which the tasks find a running stack", () => {
  /** A folder for temporary files with one in it that has our name, and says that a stack runs. */
  async function fixture() {
    const temporary = await useTemporaryFolder();
    const folder = join(temporary, name);
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(join(folder, "7.json"), JSON.stringify(stackOn(7)));
    return folder;
  }

  function expectRefusal(folder: string, why: string): void {
    const message = `${folder} belongs to another user, or others have access to it; remove it and try again.`;
    expect(listStacks, why).to.throw(message);
    expect(() => announceStack(stackOn(8)), why).to.throw(message);
  }

  it("is trusted if only the user can open it, and created like that if missing", async () => {
    await fixture();
    expect(listStacks()).to.deep.equal([stackOn(7)]);
    const empty = await useTemporaryFolder();
    expect(listStacks()).to.deep.equal([]);
    expect(readdirSync(empty)).to.deep.equal([]);
    const withdraw = announceStack(stackOn(8));
    expect(listStacks()).to.deep.equal([stackOn(8)]);
    const [folder, file] = [join(empty, name), fileOf(empty, 8)];
    expect([folder, file].map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o700, 0o600]);
    withdraw();
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(listStacks()).to.deep.equal([]);
  });

  it("is refused if another user made it", async () => {
    const folder = await fixture();
    // A user who cannot change a folder's owner pretends to be another user.
    if (uid === 0) chownSync(folder, 65_534, 65_534);
    else {
      const { mock: replaced } = mock.method(process as Required<NodeJS.Process>, "getuid", () => uid + 1);
      onCleanup(() => replaced.restore());
    }
    expectRefusal(folder, "of another user");
  });

  it("is refused if other users can read it", async () => {
    const folder = await fixture();
    for (const mode of [0o750, 0o705, 0o777, 0o710, 0o702]) {
      chmodSync(folder, mode);
      expectRefusal(folder, mode.toString(8));
    }
    chmodSync(folder, 0o700);
    const another = await useTemporaryFolder();
    const link = join(another, name);
    symlinkSync(folder, link);
    expectRefusal(link, "a link");
  });
});

describe("The stack that a task works on", () => {
  it("is the only one that runs; with several, --port chooses, and the error lists their ports", async () => {
    await useTemporaryFolder();
    const here = process.cwd();
    expect(() => findStack()).to.throw("No `identity dev` is running. Start one with");
    expect(() => findStack(7)).to.throw(/^No `identity dev` runs on --port 7\.$/);
    const withdraw = announceStack(stackOn(10_000));
    expect(findStack()).to.deep.equal(stackOn(10_000));
    announceStack(stackOn(7));
    expect(findStack(7)).to.deep.equal(stackOn(7));
    expect(listStacks().map(({ port }) => port)).to.deep.equal([7, 10_000]);
    expect(() => findStack()).to.throw(
      `Several \`identity dev\` are running; choose one with --port. Running: 7 (${here}), 10000 (${here}).`,
    );
    expect(() => findStack(8)).to.throw(
      `No \`identity dev\` runs on --port 8. Running: 7 (${here}), 10000 (${here}).`,
    );
    withdraw();
    expect(findStack()).to.deep.equal(stackOn(7));
  });

  it("is this project's, also by a link to its folder, and another project's only where --port says so", async () => {
    const [one, other, link] = [
      await temporaryFolder(),
      await temporaryFolder(),
      join(await temporaryFolder(), "link"),
    ];
    await useTemporaryFolder();
    symlinkSync(one, link);
    announceStack(stackOn(7, { folder: other }));
    expect(() => findStack(undefined, one)).to.throw(
      `No \`identity dev\` of this project (${one}) is running; choose another project's with --port. Running: 7 (${other}).`,
    );
    expect(findStack(7, one).folder).to.equal(other);
    announceStack(stackOn(8, { folder: one }));
    expect(findStack(undefined, one).port).to.equal(8);
    expect(findStack(undefined, link).port).to.equal(8);
    expect(findStack(undefined, other).port).to.equal(7);
    announceStack(stackOn(9, { folder: one }));
    expect(() => findStack(undefined, one)).to.throw(/ --port\. Running: 8 \(\S+\), 9 \(\S+\)\.$/);
  });

  it("is never a killed one, whose traces and temporary store are removed", async () => {
    const temporary = await useTemporaryFolder();
    const pid = endedProcess();
    const write = (file: string) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "credentials");
      return file;
    };
    const own = write(join(temporary, `${temporaryStorePrefix}x`, "credentials.sqlite"));
    const kept = write(join(temporary, "mine", "kept.sqlite"));
    announceStack(stackOn(1, { pid, databaseUrl: `file:${own}` }));
    announceStack(stackOn(2, { pid, databaseUrl: `file:${kept}` }));
    announceStack(stackOn(3));
    expect(listStacks()).to.deep.equal([stackOn(3)]);
    expect(readdirSync(join(temporary, name))).to.deep.equal([basename(fileOf(temporary, 3))]);
    expect(existsSync(dirname(own))).to.equal(false);
    expect(readFileSync(kept, "utf8")).to.equal("credentials");
  });

  it("is never one whose process id another process has now", async () => {
    const temporary = await useTemporaryFolder();
    announceStack(stackOn(7));
    const file = fileOf(temporary, 7);
    const another = spawn("sleep", ["60"]);
    onCleanup(() => another.kill());
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), pid: another.pid }));
    expect(listStacks()).to.deep.equal([]);
    expect(existsSync(file)).to.equal(false);
  });

  it("leaves alone what another container has announced, whose process ids mean nothing here", async () => {
    const temporary = await useTemporaryFolder();
    const store = join(temporary, `${temporaryStorePrefix}x`, "credentials.sqlite");
    mkdirSync(dirname(store));
    writeFileSync(store, "credentials");
    announceStack(stackOn(7, { pid: endedProcess(), databaseUrl: `file:${store}` }));
    const file = fileOf(temporary, 7);
    const announced = JSON.parse(readFileSync(file, "utf8"));
    // Another machine, another namespace of one machine, and an older release, which names none.
    for (const host of ["elsewhere pid:[1]", `${hostname()} pid:[1]`, undefined]) {
      // Its process id may be that of a process here.
      for (const pid of [announced.pid, process.pid]) {
        writeFileSync(file, JSON.stringify({ ...announced, host, pid, began: "1" }));
        expect(listStacks()).to.deep.equal([]);
        expect([existsSync(file), readFileSync(store, "utf8")]).to.deep.equal([true, "credentials"]);
      }
    }
  });

  it("is found beside files that announce no stack, which stay", async () => {
    const temporary = await useTemporaryFolder();
    announceStack(stackOn(7));
    const folder = join(temporary, name);
    // A disk that was full, and programs that write there, too.
    const contents = {
      "1.json": "",
      "2.json": '{"pid":',
      "3.json": "null",
      "4.json": "[]",
      "5.json": '{"pid":"7"}',
    };
    for (const [file, text] of Object.entries(contents)) writeFileSync(join(folder, file), text);
    mkdirSync(join(folder, "6.json"));
    expect(listStacks()).to.deep.equal([stackOn(7)]);
    expect(readdirSync(folder)).to.include.members([...Object.keys(contents), "6.json"]);
  });

  it("is found beside another container's on the same port", async () => {
    const temporary = await useTemporaryFolder();
    announceStack(stackOn(7));
    const elsewhere = join(temporary, name, "7-elsewhere.json");
    renameSync(fileOf(temporary, 7), elsewhere);
    const announced = JSON.parse(readFileSync(elsewhere, "utf8"));
    writeFileSync(elsewhere, JSON.stringify({ ...announced, host: "elsewhere", pid: endedProcess() }));
    const withdraw = announceStack(stackOn(7));
    expect(listStacks()).to.deep.equal([stackOn(7)]);
    withdraw();
    expect(existsSync(elsewhere)).to.equal(true);
  });

  it("is announced by a user who has no entry in /etc/passwd", async () => {
    await useTemporaryFolder();
    const module = JSON.stringify(join(import.meta.dirname, "../../tasks/internal/stack/running.ts"));
    const script = `import os from "node:os";
import { syncBuiltinESMExports } from "node:module";
os.userInfo = () => { throw new Error("uv_os_get_passwd returned ENOENT"); };
syncBuiltinESMExports();
const { announceStack, listStacks } = await import(${module});
announceStack({ ...JSON.parse(process.argv[1]), pid: process.pid });
console.log(listStacks().length);`;
    const args = ["--input-type=module", "-e", script, JSON.stringify(stackOn(7))];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([stdout, stderr]).to.deep.equal(["1\n", ""]);
  });

  it("may be run by a process that this user cannot signal", async () => {
    await useTemporaryFolder();
    announceStack(stackOn(7));
    const { mock: replaced } = mock.method(process, "kill", () => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    onCleanup(() => replaced.restore());
    expect(listStacks()).to.deep.equal([stackOn(7)]);
  });

  it("is found although another stack is just being announced or has just gone", async () => {
    const temporary = await useTemporaryFolder();
    announceStack(stackOn(7));
    writeFileSync(join(temporary, name, "8.json.new"), "{");
    symlinkSync("nowhere", join(temporary, name, "9.json"));
    expect(listStacks()).to.deep.equal([stackOn(7)]);
  });
});
