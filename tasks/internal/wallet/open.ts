import type { EdrNetworkConfig } from "hardhat/types/config";
import { readArtifact } from "../../../ignition/artifacts.ts";
import type { Eip1193Connection } from "../../../protocol/eip1193.ts";
import { createWallet, type DevelopmentWallet, type WalletSettings } from "../../../wallet/index.ts";
import { signWithAccounts } from "./authorizations.ts";
import { describeStatus } from "./describeStatus.ts";

/** Opens the development wallet of a simulated network. */
export function openWallet(
  node: Eip1193Connection,
  { accounts }: EdrNetworkConfig,
  settings: Partial<WalletSettings>,
): DevelopmentWallet {
  return createWallet({
    node,
    executorCode: readArtifact("wallet/BatchExecutor").deployedBytecode,
    signAuthorization: signWithAccounts(accounts),
    settings,
    show: (status) => console.log(describeStatus(status)),
  });
}
