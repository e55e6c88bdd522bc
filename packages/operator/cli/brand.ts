import { parsePort } from "@hardhat-identity/console/options";
import { print } from "@hardhat-identity/console/print";
import { untilStopped } from "@hardhat-identity/console/untilStopped";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { previewBrand } from "@hardhat-identity/verify-page";

/** Shows the pages with a brand until the process is asked to end. */
export async function preview({ port = "0" }: { port?: string }, words: readonly string[]): Promise<number> {
  const [file, ...rest] = words;
  if (file === undefined || rest.length > 0) {
    throw new InvalidInputError(
      `brand preview needs the path of one brand file, such as brand.json, got ${JSON.stringify(words.join(" "))}.`,
    );
  }
  const { url, close } = await previewBrand(file, parsePort("--port", port));
  print(`Verify page      ${url}/verify
Front page       ${url}/
Page not found   ${url}/lost

Change ${file}, then load a page again. Nothing is stored. Stop with Ctrl-C.`);
  await untilStopped(close, false);
  return 0;
}
