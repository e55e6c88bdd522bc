import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { membersOf } from "@hardhat-identity/protocol/json";
import { systemErrorCode } from "@hardhat-identity/protocol/systemError";
import type { AbiEntry } from "../consumer/compiledContract.ts";
import { removeFolder } from "../temporaryFolder.ts";
import { replaceFile } from "./replaceFile.ts";

/** A consumer that a module of the project deployed. */
export interface ProjectConsumer {
  readonly name: string;
  readonly address: string;
  /** The JSON ABI. */
  readonly abi: readonly AbiEntry[];
}

/** A running `identity dev`: what it prints when it is ready, and data for tasks of the same user. */
export interface RunningStack {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly registry: string;
  /** Address of the signer. */
  readonly signer: string;
  readonly signerUrl: string;
  /** The example consumers and the project's own: contract name → address. */
  readonly consumers: Readonly<Record<string, string>>;
  /** The project's own consumers, with their ABIs. */
  readonly own?: readonly ProjectConsumer[];
  readonly pid: number;
  readonly port: number;
  /** The project's folder. */
  readonly folder: string;
  /** The credential store; tasks open it directly, never over HTTP. */
  readonly databaseUrl: string;
}

/** A stack as its file has it. */
interface Announced extends RunningStack {
  /** Where its process id means a process; see {@link describeHost}. */
  readonly host?: string | undefined;
}

/** Name prefix of a folder whose store is deleted when its stack stops. */
export const temporaryStorePrefix = "hardhat-identity-store-";

/** Returns the folder in which the user's stacks are announced. The user may have no entry in /etc/passwd, as in a container. */
const findFolder = () => join(tmpdir(), `hardhat-identity-${process.getuid?.() ?? -1}`);

/** Announces the stack to other tasks of the same user. Returns a function to call when the stack stops. */
export function announceStack(stack: RunningStack): () => void {
  const folder = findFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeign(folder);
  const host = describeHost();
  // A container that shares the folder may have a stack on the same port.
  const suffix = createHash("sha256")
    .update(host ?? "")
    .digest("hex")
    .slice(0, 8);
  const file = join(folder, `${stack.port}-${suffix}.json`);
  const announced: Announced = { ...stack, host };
  replaceFile(file, announced, 0o600);
  return () => rmSync(file, { force: true });
}

/**
 * Lists the running stacks, lowest port first. Removes the files of stacks that were killed. A container may share the
 * folder, and neither its process ids nor its ports mean anything here: the files of its stacks stay.
 */
export async function listStacks(): Promise<RunningStack[]> {
  const running: RunningStack[] = [];
  for (const file of readFolder(findFolder())) {
    const announced = readStack(file);
    if (announced === undefined) continue;
    const { host, ...stack } = announced;
    // After a crash, another process may get the process id, but does not answer at the port.
    if (isAlive(stack.pid) && (await acceptsConnections(stack.signerUrl))) running.push(stack);
    else if (host !== undefined && host === describeHost()) {
      removeTraces(file, stack);
    }
  }
  return running.sort((a, b) => a.port - b.port);
}

/**
 * Finds the running stack of a project.
 *
 * @param port The port of the stack's signer service, to choose one of several stacks, or one of another project.
 * @param folder The project's folder.
 * @throws InvalidInputError if none or several of this project run and no port is given.
 */
export async function findStack(port?: number, folder = process.cwd()): Promise<RunningStack> {
  const stacks = await listStacks();
  if (port !== undefined) {
    const stack = stacks.find((candidate) => candidate.port === port);
    if (stack !== undefined) return stack;
    throw new InvalidInputError(`No \`identity dev\` runs on --port ${port}.${describe(stacks)}`);
  }
  const own = stacks.filter((stack) => isSameFolder(stack.folder, folder));
  const [stack, another] = own;
  if (another !== undefined) {
    throw new InvalidInputError(
      `Several \`identity dev\` are running; choose one with --port.${describe(own)}`,
    );
  }
  if (stack !== undefined) return stack;
  if (stacks.length > 0) {
    throw new InvalidInputError(
      `No \`identity dev\` of this project (${folder}) is running; choose another project's with --port.${describe(stacks)}`,
    );
  }
  throw new InvalidInputError(
    `No \`identity dev\` is running. Start one with \`npx hardhat identity dev\`, or name a network with --network. One that runs with another folder for temporary files (TMPDIR) than ${tmpdir()} is not found.`,
  );
}

/** Links are followed; on Windows, one path is written in several ways. */
function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => {
    const real = existsSync(folder) ? realpathSync.native(folder) : folder;
    return process.platform === "win32" ? real.toLowerCase() : real;
  });
  return a === b;
}

function describe(stacks: readonly RunningStack[]): string {
  if (stacks.length === 0) return "";
  return ` Running: ${stacks.map(({ port, folder }) => `${port} (${folder})`).join(", ")}.`;
}

/** Returns the paths of the files that announce stacks. */
function readFolder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  refuseForeign(folder);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => join(folder, file));
}

/** Reads an announced stack. Returns `undefined` if it has just stopped, and for a file that announces none. */
function readStack(file: string): Announced | undefined {
  try {
    const announced = JSON.parse(readFileSync(file, "utf8"));
    return typeof membersOf(announced).pid === "number" ? announced : undefined;
  } catch {
    return undefined;
  }
}

// Every user can write to the folder for temporary files. Another user could create this folder and announce a store.
function refuseForeign(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const own = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
  if (!own)
    throw new InvalidInputError(
      `${folder} belongs to another user, or others have access to it; remove it and try again.`,
    );
}

/** The file goes last: where the store cannot be removed yet, the next list tries again. */
function removeTraces(file: string, stack: RunningStack): void {
  try {
    removeTemporaryStore(stack);
    rmSync(file, { force: true });
  } catch {
    // Windows removes nothing that a program has open.
  }
}

function removeTemporaryStore({ databaseUrl }: RunningStack): void {
  const storeFolder = dirname(databaseUrl.replace("file:", ""));
  if (basename(storeFolder).startsWith(temporaryStorePrefix)) removeFolder(storeFolder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === "EPERM";
  }
}

/** Whether a program listens at the port of a URL on this machine. The system itself answers for a busy program. */
function acceptsConnections(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/**
 * Names the machine and, on Linux, its namespace of process ids: each container has one of its own. Returns `undefined`
 * where `/proc` does not say, as in some sandboxes.
 */
function describeHost(): string | undefined {
  if (process.platform !== "linux") return hostname();
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}
