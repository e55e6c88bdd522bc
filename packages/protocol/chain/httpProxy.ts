/**
 * Describes, as the end of a sentence, what the environment's proxy does to requests for a URL. Node uses a proxy only if it
 * is told to.
 */
export function describeProxy(url: string, environment: NodeJS.ProcessEnv = process.env): string {
  const name = url.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
  // As Node does: an empty name in lower case means none.
  const proxy = environment[name.toLowerCase()] ?? environment[name];
  if (!proxy) return "";
  return usesProxy(environment)
    ? `; ${name} sends requests through ${hostOf(proxy)}, except to the hosts in NO_PROXY`
    : `; ${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1`;
}

const usesProxy = ({ NODE_USE_ENV_PROXY, NODE_OPTIONS = "" }: NodeJS.ProcessEnv) =>
  NODE_USE_ENV_PROXY === "1" || [NODE_OPTIONS, ...process.execArgv].join(" ").includes("--use-env-proxy");

/** Without the password that its URL may hold. */
const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).host : "an address that is not a URL";

const loopback = ["localhost", "127.0.0.1", "::1"];

/** Keeps requests to this machine from going through a proxy, which would reach itself instead. */
export function keepLoopbackFromProxies(environment: NodeJS.ProcessEnv = process.env): void {
  if (!usesProxy(environment)) return;
  // Node prefers the name in lower case.
  const name = environment.no_proxy === undefined ? "NO_PROXY" : "no_proxy";
  const listed = (environment[name] ?? "").split(",").filter((host) => host !== "");
  environment[name] = [...new Set([...listed, ...loopback])].join(",");
}
