import { HDNodeWallet } from "ethers";
import { development } from "../protocol/development.ts";

/** The mnemonic of every Hardhat and anvil node, of which they open 20 accounts at most. */
const mnemonic = "test test test test test test test test test test test junk";
const accounts = 20;

let addresses: ReadonlySet<string> | undefined;

/** Checksummed addresses whose keys everybody knows: the accounts of local nodes, and the development signer. */
export function developmentAddresses(): ReadonlySet<string> {
  if (addresses === undefined) {
    const parent = HDNodeWallet.fromPhrase(mnemonic, "", "m/44'/60'/0'/0");
    const children = Array.from({ length: accounts }, (_, i) => parent.deriveChild(i).address);
    addresses = new Set([development.signer, ...children]);
  }
  return addresses;
}
