import { spawn } from "node:child_process";

/** The command that opens a URL in the user's default browser. */
const commands: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["explorer.exe"],
};

/**
 * Opens a URL in the user's browser, which outlives this process.
 *
 * @returns Whether the command could be started.
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
