import type { EdrNetworkConfig } from "hardhat/types/config";
import { readArtifact } from "../../ignition/artifacts.ts";
import type { Eip1193Provider } from "../../protocol/eip1193.ts";
import { createWallet, type DevelopmentWallet, type WalletSettings } from "../../wallet/index.ts";
import { signWithAccounts } from "./authorizations.ts";
import { describeStatus } from "./describe.ts";

/** Opens the development wallet of a simulated network. */
export function openWallet(
  provider: Eip1193Provider,
  { accounts }: EdrNetworkConfig,
  settings: Partial<WalletSettings>,
): DevelopmentWallet {
  return createWallet({
    provider,
    executorCode: readArtifact("wallet/BatchExecutor").deployedBytecode,
    signAuthorization: signWithAccounts(accounts),
    settings,
    show: (status) => console.log(describeStatus(status)),
  });
}
