import { reporting } from "hardhat-identity/internal/console/report";
import { connectToNode } from "hardhat-identity/internal/stack/connect";
import { findAccount } from "hardhat-identity/internal/wallet/findAccount";
import { readGivenCredential, setCredential } from "identity-signer/operations/credentials";
import { withStackStore } from "../internal/credentials.ts";

export default reporting<"credential set">(async (args, hre) => {
  // A number is an account of the stack's chain, as in --account.
  const numbers = /^\d+( *, *\d+)*$/.exec(args.wallet ?? "")?.[0].split(",");
  const credential = numbers === undefined ? await readGivenCredential(args) : undefined;
  return await withStackStore(hre, args, async (store, stack) => {
    const { provider: node } = await connectToNode(hre, stack.rpcUrl);
    const find = (number: string) => findAccount(node, "--wallet", number.trim());
    const wallet = numbers && (await Promise.all(numbers.map(find))).join(",");
    return await setCredential(store, credential ?? (await readGivenCredential({ ...args, wallet })), node);
  });
});
