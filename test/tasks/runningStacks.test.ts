import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs, {
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
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, createServer } from "node:net";
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
import { findFreePort } from "../fixtures/freePort.ts";
import { rejection } from "../fixtures/rejection.ts";
import { replace } from "../fixtures/replace.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

const uid = process.getuid?.() ?? -1;
const name = `hardhat-identity-${uid}`;
const nobody = `0x${"00".repeat(20)}`;

const listening = createServer().listen(0).unref();
const signerUrl = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;

/** A stack of a process that runs, and listens at a port: this one. */
const stackOn = (port: number, changed: Partial<RunningStack> = {}): RunningStack => ({
  rpcUrl: "http://127.0.0.1:1",
  signerUrl,
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

  async function expectRefusal(folder: string, why: string): Promise<void> {
    const message = `${folder} belongs to another user, or others have access to it; remove it and try again.`;
    expect((await rejection(listStacks())).message, why).to.equal(message);
    expect(() => announceStack(stackOn(8)), why).to.throw(message);
  }

  it("is trusted if only the user can open it, and created like that if missing", async () => {
    await fixture();
    expect(await listStacks()).to.deep.equal([stackOn(7)]);
    const empty = await useTemporaryFolder();
    expect(await listStacks()).to.deep.equal([]);
    expect(readdirSync(empty)).to.deep.equal([]);
    const withdraw = announceStack(stackOn(8));
    expect(await listStacks()).to.deep.equal([stackOn(8)]);
    const [folder, file] = [join(empty, name), fileOf(empty, 8)];
    expect([folder, file].map((path) => statSync(path).mode & 0o777)).to.deep.equal([0o700, 0o600]);
    withdraw();
    expect(readdirSync(folder)).to.deep.equal([]);
    expect(await listStacks()).to.deep.equal([]);
  });

  it("is refused if another user made it", async () => {
    const folder = await fixture();
    // A user who cannot change a folder's owner pretends to be another user.
    if (uid === 0) chownSync(folder, 65_534, 65_534);
    else {
      const { mock: replaced } = mock.method(process as Required<NodeJS.Process>, "getuid", () => uid + 1);
      onCleanup(() => replaced.restore());
    }
    await expectRefusal(folder, "of another user");
  });

  it("is refused if other users can read it", async () => {
    const folder = await fixture();
    for (const mode of [0o750, 0o705, 0o777, 0o710, 0o702]) {
      chmodSync(folder, mode);
      await expectRefusal(folder, mode.toString(8));
    }
    chmodSync(folder, 0o700);
    const another = await useTemporaryFolder();
    const link = join(another, name);
    symlinkSync(folder, link);
    await expectRefusal(link, "a link");
  });
});

describe("The stack that a task works on", () => {
  it("is the only one that runs; with several, --port chooses, and the error lists their ports", async () => {
    await useTemporaryFolder();
    const here = process.cwd();
    expect((await rejection(findStack())).message).to.match(
      /^No `identity dev` is running\. Start one with .* \(TMPDIR\) than \S+ is not found\.$/,
    );
    expect((await rejection(findStack(7))).message).to.match(/^No `identity dev` runs on --port 7\.$/);
    const withdraw = announceStack(stackOn(10_000));
    expect(await findStack()).to.deep.equal(stackOn(10_000));
    announceStack(stackOn(7));
    expect(await findStack(7)).to.deep.equal(stackOn(7));
    expect((await listStacks()).map(({ port }) => port)).to.deep.equal([7, 10_000]);
    expect((await rejection(findStack())).message).to.include(
      `Several \`identity dev\` are running; choose one with --port. Running: 7 (${here}), 10000 (${here}).`,
    );
    expect((await rejection(findStack(8))).message).to.include(
      `No \`identity dev\` runs on --port 8. Running: 7 (${here}), 10000 (${here}).`,
    );
    withdraw();
    expect(await findStack()).to.deep.equal(stackOn(7));
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
    expect((await rejection(findStack(undefined, one))).message).to.include(
      `No \`identity dev\` of this project (${one}) is running; choose another project's with --port. Running: 7 (${other}).`,
    );
    expect((await findStack(7, one)).folder).to.equal(other);
    announceStack(stackOn(8, { folder: one }));
    expect((await findStack(undefined, one)).port).to.equal(8);
    expect((await findStack(undefined, link)).port).to.equal(8);
    expect((await findStack(undefined, other)).port).to.equal(7);
    announceStack(stackOn(9, { folder: one }));
    expect((await rejection(findStack(undefined, one))).message).to.match(
      / --port\. Running: 8 \(\S+\), 9 \(\S+\)\.$/,
    );
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
    expect(await listStacks()).to.deep.equal([stackOn(3)]);
    expect(readdirSync(join(temporary, name))).to.deep.equal([basename(fileOf(temporary, 3))]);
    expect(existsSync(dirname(own))).to.equal(false);
    expect(readFileSync(kept, "utf8")).to.equal("credentials");
  });

  it("is never a killed one, also while a program has its store open, which is removed later", async () => {
    const temporary = await useTemporaryFolder();
    const store = join(temporary, `${temporaryStorePrefix}x`, "credentials.sqlite");
    mkdirSync(dirname(store));
    writeFileSync(store, "credentials");
    announceStack(stackOn(1, { pid: endedProcess(), databaseUrl: `file:${store}` }));
    announceStack(stackOn(2));
    const { rmSync } = fs;
    onCleanup(syncBuiltinESMExports);
    replace(fs, "rmSync", (path, options) => {
      if (path === dirname(store)) throw Object.assign(new Error("EBUSY"), { code: "EBUSY" });
      rmSync(path, options);
    });
    syncBuiltinESMExports();
    expect(await listStacks()).to.deep.equal([stackOn(2)]);
    expect(existsSync(store)).to.equal(true);
    replace(fs, "rmSync", rmSync);
    syncBuiltinESMExports();
    expect(await listStacks()).to.deep.equal([stackOn(2)]);
    expect(existsSync(store)).to.equal(false);
    expect(existsSync(fileOf(temporary, 1))).to.equal(false);
  });

  it("is never one whose process id another process has now", async () => {
    const temporary = await useTemporaryFolder();
    const store = join(temporary, `${temporaryStorePrefix}x`, "credentials.sqlite");
    mkdirSync(dirname(store));
    writeFileSync(store, "credentials");
    const away = `http://127.0.0.1:${await findFreePort()}`;
    announceStack(stackOn(7, { signerUrl: away, databaseUrl: `file:${store}` }));
    announceStack(stackOn(8));
    expect(await listStacks()).to.deep.equal([stackOn(8)]);
    expect(readdirSync(join(temporary, name))).to.deep.equal([basename(fileOf(temporary, 8))]);
    expect(existsSync(store)).to.equal(false);
  });

  it("is found while it is stopped, and so answers nothing", async () => {
    await useTemporaryFolder();
    const script = `import { createServer } from "node:net";
const server = createServer().listen(0, "127.0.0.1", () => console.log(server.address().port));`;
    const stopped = spawn(process.execPath, ["--input-type=module", "-e", script]);
    onCleanup(() => stopped.kill("SIGKILL"));
    const [port] = await once(stopped.stdout, "data");
    stopped.kill("SIGSTOP");
    const stack = stackOn(7, { pid: stopped.pid ?? 0, signerUrl: `http://127.0.0.1:${Number(port)}` });
    announceStack(stack);
    expect(await listStacks()).to.deep.equal([stack]);
  });

  it("leaves alone what another container has announced, whose process ids mean nothing here", async () => {
    const temporary = await useTemporaryFolder();
    const store = join(temporary, `${temporaryStorePrefix}x`, "credentials.sqlite");
    mkdirSync(dirname(store));
    writeFileSync(store, "credentials");
    const away = `http://127.0.0.1:${await findFreePort()}`;
    announceStack(stackOn(7, { pid: endedProcess(), signerUrl: away, databaseUrl: `file:${store}` }));
    const file = fileOf(temporary, 7);
    const announced = JSON.parse(readFileSync(file, "utf8"));
    // Another machine, another namespace of one machine, and an older release, which names none.
    for (const host of ["elsewhere pid:[1]", `${hostname()} pid:[1]`, undefined]) {
      // Its process id may be that of a process here.
      for (const pid of [announced.pid, process.pid]) {
        writeFileSync(file, JSON.stringify({ ...announced, host, pid }));
        expect(await listStacks()).to.deep.equal([]);
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
    expect(await listStacks()).to.deep.equal([stackOn(7)]);
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
    expect(await listStacks()).to.deep.equal([stackOn(7)]);
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
console.log((await listStacks()).length);`;
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
    expect(await listStacks()).to.deep.equal([stackOn(7)]);
  });

  it("is found although another stack is just being announced or has just gone", async () => {
    const temporary = await useTemporaryFolder();
    announceStack(stackOn(7));
    writeFileSync(join(temporary, name, "8.json.new"), "{");
    symlinkSync("nowhere", join(temporary, name, "9.json"));
    expect(await listStacks()).to.deep.equal([stackOn(7)]);
  });
});
