import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { replace } from "../fixtures/replace.ts";
import { describeClaims } from "../fixtures/wallet/claims.ts";

describe("A batched claim over HTTP", () => {
  describeClaims(async () => {
    const { rpcUrl: url } = await serveLocalChain();
    let printed = "";
    replace(console, "log", (text: string) => {
      printed += `${text}\n`;
    });
    return {
      url,
      async waitFor(pattern) {
        while (!pattern.test(printed)) await new Promise(setImmediate);
      },
    };
  });
});
