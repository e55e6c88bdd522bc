import { ChainUnavailableError, connectChain } from "../../chain/connect.ts";
import { optional, parseCount } from "../../console/options.ts";
import { tell } from "../../console/report.ts";
import { parseAddress } from "../../protocol/address.ts";
import { InvalidInputError } from "../../protocol/errors.ts";
import { readChainSettings } from "../index.ts";
import { readServiceUrl } from "../operations/askService.ts";
import { listSigners } from "../operations/signers/listSigners.ts";
import { readAllowlist } from "../operations/signers/readAllowlist.ts";
import { readServiceSigners } from "../operations/signers/serviceSigners.ts";

/** To change the allowlist takes the owner's key, which a service does not have. */
export async function list(values: {
  registry?: string;
  service?: string;
  "from-block"?: string;
  json?: boolean;
}): Promise<number> {
  const fromBlock = optional(values["from-block"], (text) => parseCount("--from-block", text));
  const named = optional(values.registry, (text) => parseAddress("--registry", text));
  const url = optional(values.service, (text) => readServiceUrl("--service", text));
  const { registry, ...chain } = readChainSettings({
    ...process.env,
    ...(named !== undefined && { IDENTITY_REGISTRY: named }),
  });
  const connected = connectChain({ url: chain.rpcUrl, chainId: chain.chainId });
  // A search may take longer than a conversation may last.
  const node = { request: (call: { method: string }) => connected.open().request(call) };
  try {
    const state = await readAllowlist(node, registry);
    const service = url === undefined ? undefined : await readServiceSigners(url, state);
    return tell(await listSigners(node, state, { service, fromBlock }), values.json);
  } catch (error) {
    if (!(error instanceof ChainUnavailableError)) throw error;
    throw new InvalidInputError(`The node (IDENTITY_RPC_URL) cannot be asked: ${error.message}`);
  }
}
