/**
 * The oldest browsers that the pages and the client package run in: Safari 16.0, and what was current with it. As esbuild
 * names them.
 */
export const supportedBrowsers = ["safari16.0", "ios16.0", "chrome108", "edge108", "firefox108"];
