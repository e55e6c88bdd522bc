/**
 * Describes, as the end of a sentence, what the environment's proxy does to requests for a URL. Node uses a proxy only if it
 * is told to.
 */
export function describeProxy(
  url: string,
  environment: NodeJS.ProcessEnv = process.env,
  nodeVersion = process.versions.node,
): string {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"];
  // As Node does: an empty name in lower case means none.
  const proxyOf = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  const name = names.find(proxyOf);
  if (name === undefined) return "";
  if (!knowsProxies(nodeVersion)) {
    return `; ${name} is set, but Node ${nodeVersion} cannot use it: that takes 22.21, or 24 or later`;
  }
  return usesProxy(environment)
    ? `; ${name} sends requests through ${hostOf(proxyOf(name) ?? "")}, except to the hosts in NO_PROXY`
    : `; ${name} is set, but Node uses it only with NODE_USE_ENV_PROXY=1`;
}

function knowsProxies(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  return major >= 24 || (major === 22 && minor >= 21);
}

const usesProxy = ({ NODE_USE_ENV_PROXY, NODE_OPTIONS = "" }: NodeJS.ProcessEnv) =>
  NODE_USE_ENV_PROXY === "1" || [NODE_OPTIONS, ...process.execArgv].join(" ").includes("--use-env-proxy");

/** Without the password that its URL may hold. */
const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).host : "an address that is not a URL";

/** Node's `fetch` compares with an IPv6 address in brackets, and its `http` with one without. */
const loopback = ["localhost", "127.0.0.1", "::1", "[::1]"];

/** Keeps requests to this machine from going through a proxy, which would reach itself instead. */
export function keepLoopbackFromProxies(environment: NodeJS.ProcessEnv = process.env): void {
  if (!usesProxy(environment)) return;
  // Node prefers the name in lower case.
  const name = environment.no_proxy === undefined ? "NO_PROXY" : "no_proxy";
  // All hosts; but only if it stands alone.
  if (environment[name] === "*") return;
  const listed = (environment[name] ?? "").split(",").filter((host) => host !== "");
  environment[name] = [...new Set([...listed, ...loopback])].join(",");
}
