// A contract of the attacks, which calls on behalf of others, and wallets that delegate to code.
import { readArtifact } from "@hardhat-identity/ignition/artifacts";
import { checksumAddress } from "@hardhat-identity/protocol/address";
import { AbiCoder, concat, Interface, MaxUint256 } from "ethers";
import { accountOf } from "../wallets.ts";
import type { Scene } from "./scene.ts";
import type { Call, Outcome } from "./stage.ts";

/** Deploys the contract, which claims in its constructor if it gets a call. */
export async function intrude(
  scene: Scene,
  call?: Pick<Call, "to" | "data" | "value">,
): Promise<Outcome & { readonly intruder: string }> {
  const values = [call?.to ?? `0x${"00".repeat(20)}`, call?.data ?? "0x"];
  const args = AbiCoder.defaultAbiCoder().encode(["address", "bytes"], values);
  const { bytecode } = readArtifact("attack/Intruder");
  const deployment = { from: scene.wallets.first, data: concat([bytecode, args]), value: call?.value };
  const what = `The first wallet deploys a contract${call === undefined ? "" : " that claims in its constructor"}.`;
  const outcome = await scene.send(what, deployment);
  const intruder = "done" in outcome ? checksumAddress(outcome.done.created ?? "") : "";
  if (intruder !== "") scene.intruders.add(intruder);
  if (intruder !== "" && call === undefined) await scene.prepare(intruder);
  return { ...outcome, intruder };
}

/** Composes a call through the contract, which calls back with `callback` when it is called in turn. */
export function passing(intruder: string, from: string, { to, data, value }: Call, callback?: Call): Call {
  const { data: back = "0x", value: price = 0n } = callback ?? {};
  const args = [to, data, back, price];
  return { from, to: intruder, data: intruderInterface.encodeFunctionData("attack", args), value };
}

/** Makes a call through the contract. */
export function through(
  scene: Scene,
  intruder: string,
  from: string,
  call: Call,
  callback?: Call,
): Promise<Outcome> {
  const what = callback === undefined ? "" : ", and calls the contract back when that calls it";
  return scene.send(`A contract passes a call on${what}.`, passing(intruder, from, call, callback));
}

/** Delegates a wallet to code by EIP-7702. */
export async function delegate(scene: Scene, wallet: string, name: string): Promise<void> {
  const code = accountOf(name);
  const place = (account: string, bytes: string) =>
    scene.stage.node.request({ method: "hardhat_setCode", params: [account, bytes] });
  await place(code, readArtifact(name).deployedBytecode);
  await place(wallet, `0xef0100${code.slice(2)}`);
  scene.note(`delegate ${wallet} ${name}`);
}

/** Makes several calls in one transaction of the first wallet, which delegates; others go through code of theirs. */
export function batch(scene: Scene, calls: readonly Call[]): Promise<Outcome> {
  const { first } = scene.wallets;
  const batched = calls.map(({ from, to, data, value = 0n }) => {
    const isOwn = checksumAddress(from) === first;
    return {
      to: isOwn ? to : from,
      value,
      gasLimit: MaxUint256,
      data: isOwn ? data : intruderInterface.encodeFunctionData("attack", [to, data, "0x", 0n]),
    };
  });
  const data = executorInterface.encodeFunctionData("execute", [batched]);
  const what = "The first wallet calls the contract twice in one batch (EIP-7702).";
  return scene.send(what, { from: first, to: first, data });
}

const executorInterface = new Interface([
  "function execute(tuple(address to, uint256 value, uint256 gasLimit, bytes data)[] calls)",
]);
const intruderInterface = new Interface([
  "function attack(address target, bytes data, bytes callback, uint256 price) payable",
]);
