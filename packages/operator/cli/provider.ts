import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline/promises";
import { print, visibleLine } from "@hardhat-identity/console/print";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import {
  ProviderFailure,
  proveAccount,
  readProviderSettings,
  startAuthorization,
} from "@hardhat-identity/verify-page";

/**
 * Signs in at a provider once, stores nothing, and prints what the provider said at each step, without secrets, tokens and
 * the account. Returns the exit code: 1 if no account was read.
 */
export async function tryProvider(values: { callback?: string }, words: readonly string[]): Promise<number> {
  const { connectors, clients, verifyUrl } = await readProviderSettings(process.env);
  const [name = "", ...rest] = words;
  const connector = Object.values(connectors).find((each) => each.name === name);
  const client = connector && clients[connector.name];
  if (connector === undefined || client === undefined || rest.length > 0) {
    const set = Object.keys(clients).join(", ") || "none";
    throw new InvalidInputError(
      `provider try needs the name of a configured provider (${set}), got ${JSON.stringify(words.join(" "))}.`,
    );
  }
  const callback = readCallback(values.callback ?? `${verifyUrl}/callback/${name}`);
  const started = startAuthorization({ connector, client, redirectUri: callback.href });
  const { origin, pathname } = new URL(started.url);
  say("provider", `${name}, asked for ${connector.scopes.join(", ")}`);
  say("callback", `${callback}; register it with the app exactly as shown`);
  say("sign in", `${origin}${pathname}`);
  const received = isLocal(callback) ? await listen(callback) : undefined;
  print(`\nOpen this address, and sign in:\n${started.url}\n`);
  print("If the provider's page shows an error, report its text, and stop with Ctrl-C.\n");
  const back = await (received?.back ?? paste(callback));
  const parameters = [...new Set(back.searchParams.keys())].join(", ") || "nothing";
  say("came back", `with ${parameters}`);
  try {
    const { accountId, accountName, traits } = await proveAccount({
      connector,
      client,
      callbackUrl: back,
      state: started.state,
      codeVerifier: started.codeVerifier,
      onAnswer: ({ place, status, code }) => say("asked", `${place}: ${status} ${code ?? ""}`.trim()),
      onScopes: (scopes) => say("granted", scopes ?? "not told"),
      onNotRevoked: ({ message }) => say("revoked", `no: ${message}`),
    });
    const wanted = Object.keys(connector.traits);
    const missing = wanted.filter((trait) => traits[trait] === undefined);
    say("account", `an id of ${accountId.length} characters, ${accountName ? "a name" : "no name"}`);
    say("read", Object.keys(traits).join(", ") || "nothing");
    if (missing.length > 0) say("not told", missing.join(", "));
    say("result", "works; nothing was stored");
    return 0;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    say("result", `${error.reason}: ${error.message}`);
    return 1;
  }
}

/** Everything here may come from a provider. */
const say = (what: string, said: string): void => print(`${what.padEnd(11)}${visibleLine(said)}`);

function readCallback(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const fits = url && url.search === "" && url.hash === "" && url.port !== "0";
  if (fits && (url.protocol === "https:" || isLocal(url))) return url;
  throw new InvalidInputError(
    `The callback must be an https URL, or http at a port of 127.0.0.1 or localhost, without query, got ${JSON.stringify(given)}. Pass one as --callback.`,
  );
}

const isLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname);

/** Listens at a callback on this machine. `back` is the address with which the browser comes back. */
async function listen(callback: URL): Promise<{ back: Promise<URL> }> {
  const server = createServer();
  const listening = once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw new InvalidInputError(
      `Cannot listen at ${callback.host} (${error.code}). Stop the program that uses this port, such as the service, or pass another URL as --callback.`,
    );
  });
  server.listen(Number(callback.port || 80), callback.hostname);
  await listening;
  const back = new Promise<URL>((resolve) => {
    server.on("request", (request, response) => {
      const asked = request.url ?? "/";
      // A scanner of ports asks for what is no URL, such as "//".
      const url = URL.canParse(asked, callback.href) ? new URL(asked, callback) : undefined;
      const isBack = request.method === "GET" && url?.pathname === callback.pathname;
      response.writeHead(isBack ? 200 : 404, { "content-type": "text/plain", connection: "close" });
      response.end(isBack ? "The terminal has the result. You can close this page." : "Not found");
      if (isBack) resolve(new URL(url.search, callback));
    });
  });
  return { back: back.finally(() => server.close()) };
}

/** Asks for the address at which the browser ended: another machine, or nobody, answers there. */
async function paste(callback: URL): Promise<URL> {
  print("Then paste the browser's final address. Ignore the page that it shows.");
  const input = createInterface({ input: process.stdin });
  for await (const line of input) {
    const url = URL.canParse(line.trim()) ? new URL(line.trim()) : undefined;
    if (url && `${url.origin}${url.pathname}` === callback.href && url.search !== "") {
      input.close();
      // A browser shows what never reaches a server, as Instagram's `#_`.
      url.hash = "";
      return url;
    }
    print(
      `That is not ${callback} with a query. If a service at that address took it, register another callback, and name it with --callback.`,
    );
  }
  throw new InvalidInputError("The browser's final address is missing.");
}
