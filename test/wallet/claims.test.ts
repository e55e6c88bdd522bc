import { mock } from "node:test";
import { serveLocalChain } from "../fixtures/chain/localChain.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { describeClaims } from "../fixtures/wallet/claims.ts";
import { post } from "../fixtures/wallet/walletClients.ts";

describe("A batched claim over HTTP", () => {
  describeClaims(async () => {
    const { rpcUrl: url } = await serveLocalChain();
    const params = [{ acceptMissingValue: true }];
    await post(url, { jsonrpc: "2.0", id: 1, method: "identity_configureWallet", params });
    let printed = "";
    const { mock: log } = mock.method(console, "log", (text: string) => {
      printed += `${text}\n`;
    });
    onCleanup(() => log.restore());
    return {
      url,
      async waitFor(pattern) {
        while (!pattern.test(printed)) await new Promise(setImmediate);
      },
    };
  });
});
