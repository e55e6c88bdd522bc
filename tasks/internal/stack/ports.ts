import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { listStacks } from "./running.ts";

/** The only address on which a local stack listens. */
export const loopback = "127.0.0.1";

/** Makes a server listen on a port; 0 means any free one. */
export async function listenOnLoopback(server: Server, port = 0) {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, loopback, resolve);
  });
  return {
    url: `http://${loopback}:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The command that makes a stack's addresses those of the machine on which it is run. */
export function forwardingCommand(urls: readonly string[]): string {
  const forwards = urls.map((url) => new URL(url).port).map((port) => `-L ${port}:${loopback}:${port}`);
  return ["ssh -N", ...forwards, "user@host"].join(" ");
}

/** The ports from 1024 up that browsers, and Node's fetch, refuse (Fetch Standard, "bad port"). */
const refusedByBrowsers: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
];

/**
 * Checks that a port is free, and one that browsers open.
 *
 * @param option The option that sets the port, such as `--port`.
 * @throws InvalidInputError that names the program that uses the port, if it is known.
 */
export async function requireFreePort(option: string, port: number): Promise<void> {
  if (refusedByBrowsers.includes(port)) {
    throw new InvalidInputError(
      `Port ${port} cannot be used: browsers refuse it. Choose another with ${option} (0 for any).`,
    );
  }
  const problem = await tryPort(port);
  if (problem === undefined) return;
  const owner = (await listStacks()).find((stack) =>
    [stack.signerUrl, stack.rpcUrl].some((url) => url.endsWith(`:${port}`)),
  );
  if (owner !== undefined) {
    // A running stack has the other ports, too.
    throw new InvalidInputError(
      `Port ${port} cannot be used: an \`identity dev\` already uses it (process ${owner.pid}, ${owner.signerUrl}). Stop it, or run a second one beside it with --rpc-port 0 --port 0.`,
    );
  }
  const reason = problem.code === "EADDRINUSE" ? "another program uses it" : `${problem.code}`;
  throw new InvalidInputError(
    `Port ${port} cannot be used: ${reason}. Stop it, or choose another with ${option} (0 for any).`,
  );
}

/**
 * Chooses the demo's port: a thousand above the service's if that is free and browsers open it, else any. Nothing depends on
 * a fixed one.
 */
export async function chooseDemoPort(port: number): Promise<number> {
  const wanted = port + 1000;
  const mayBe = port !== 0 && wanted <= 65_535 && !refusedByBrowsers.includes(wanted);
  return mayBe && (await tryPort(wanted)) === undefined ? wanted : 0;
}

function tryPort(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, loopback, () => server.close(() => resolve(undefined)));
  });
}
