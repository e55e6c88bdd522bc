import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { replace } from "../fixtures/replace.ts";
import { describeClaims } from "../fixtures/wallet/claims.ts";
import { post } from "../fixtures/wallet/walletClients.ts";

describe("A batched claim over HTTP", () => {
  describeClaims(async () => {
    const { rpcUrl: url } = await serveLocalChain();
    const params = [{ acceptMissingValue: true }];
    await post(url, { jsonrpc: "2.0", id: 1, method: "identity_configureWallet", params });
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
