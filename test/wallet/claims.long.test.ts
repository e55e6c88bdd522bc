import { startHardhatNode } from "../fixtures/chain/hardhatNode.ts";
import { describeClaims } from "../fixtures/wallet/claims.ts";

describe("A batched claim over the endpoint of `hardhat node`", () => {
  describeClaims(() => startHardhatNode("test/fixtures/wallet/walletNode.config.ts"));
});
