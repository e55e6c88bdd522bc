import { columns } from "@hardhat-identity/console/columns";
import { optional, parseCount } from "@hardhat-identity/console/options";
import { style } from "@hardhat-identity/console/print";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { readRegistry } from "@hardhat-identity/protocol/chain/registry";
import { parseHex } from "../internal/console/options.ts";
import { reporting } from "../internal/console/report.ts";
import { checkVerification } from "../internal/consumer/check.ts";
import { connectToChain } from "../internal/stack/connect.ts";
import { findConsumer } from "../internal/stack/findConsumer.ts";
import { readSeconds } from "../internal/testing/arguments.ts";

export default reporting<"check">(async (args, hre) => {
  const input = {
    consumer: await findConsumer(hre, args),
    user: parseAddress("--user", args.user),
    identityHash: parseHex("--identity-hash", args.identityHash, 32),
    expiration: readSeconds("--expiration", parseCount("--expiration", args.expiration)),
    signature: parseHex("--signature", args.signature),
  };
  const registry = optional(args.registry, (text) => parseAddress("--registry", text));
  const { connection } = await connectToChain(hre, args);
  const result = await checkVerification(connection.provider, {
    ...input,
    registry: registry ?? (await readRegistry(connection.provider, input.consumer)),
  });
  return {
    json: result,
    text: result.valid
      ? `${style("green", "Valid")}: the registry accepts it for this user at this consumer now.`
      : columns([
          ["Refused", result.revert ?? ""],
          ["Reason", result.reason ?? ""],
        ]),
    refused: !result.valid,
  };
});
