import { spawn } from "node:child_process";

/** What opens an address in the browser that its user has chosen. */
const commands: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};

/**
 * Opens an address in the user's browser, which outlives this process.
 *
 * @returns Whether there is anything that opens addresses.
 */
export async function openBrowser(url: string): Promise<boolean> {
  const [command, ...args] = commands[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  return new Promise((resolve) => {
    opener.once("error", () => resolve(false));
    opener.once("spawn", () => {
      opener.unref();
      resolve(true);
    });
  });
}
