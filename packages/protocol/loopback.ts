/** Whether a URL's host name means this machine, without a DNS lookup. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Whether a browser looks for a URL's host on its own machine: also every name under `localhost` (RFC 6761, section 6.3). */
export function isLoopbackOfBrowser(hostname: string): boolean {
  return isLoopback(hostname) || /\.localhost\.?$/.test(hostname);
}
