import { createServer } from "node:net";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { listStacks } from "./running.ts";

/** Everything of a local stack listens here and nowhere else. */
export const loopback = "127.0.0.1";

/**
 * Makes sure that a port can be listened on.
 *
 * @param option The option that chooses another, such as `--port`.
 * @throws InvalidInputError naming who has it, where that is known.
 */
export async function requireFreePort(option: string, port: number): Promise<void> {
  const problem = await tryPort(port);
  if (problem === undefined) return;
  const owner = listStacks().find((stack) =>
    [stack.signerUrl, stack.rpcUrl].some((url) => url.endsWith(`:${port}`)),
  );
  const reason = owner
    ? `an \`identity dev\` has it already (process ${owner.pid}, ${owner.signerUrl})`
    : problem.code === "EADDRINUSE"
      ? "another program listens there"
      : `${problem.code}`;
  throw new InvalidInputError(
    `Port ${port} cannot be used: ${reason}. Stop it, or choose another with ${option} (0 for any).`,
  );
}

/** The port of the demo: a thousand above the service's, where that is free; nobody waits for it at a certain one. */
export async function chooseDemoPort(port: number): Promise<number> {
  const wanted = port + 1000;
  const isFree = port !== 0 && wanted <= 65_535 && (await tryPort(wanted)) === undefined;
  return isFree ? wanted : 0;
}

function tryPort(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, loopback, () => server.close(() => resolve(undefined)));
  });
}
