import { AbiCoder, Interface, keccak256, type Result, ZeroAddress } from "ethers";
import type { Eip1193Connection } from "../eip1193.ts";
import { InvalidInputError } from "../errors.ts";
import { boundedCalls } from "./boundedCalls.ts";

/** The functions and events of OpenZeppelin's `AccessManager` that this package uses. */
export const accessManagerAbi = new Interface([
  "function PUBLIC_ROLE() view returns (uint64)",
  "function expiration() view returns (uint32)",
  "function getTargetFunctionRole(address target, bytes4 selector) view returns (uint64)",
  "function getRoleGuardian(uint64 roleId) view returns (uint64)",
  "function getRoleAdmin(uint64 roleId) view returns (uint64)",
  "function hasRole(uint64 roleId, address account) view returns (bool isMember, uint32 executionDelay)",
  "function getAccess(uint64 roleId, address account) view returns (uint48 since, uint32 currentDelay, uint32 pendingDelay, uint48 effect)",
  "function isTargetClosed(address target) view returns (bool)",
  "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
  "function getSchedule(bytes32 id) view returns (uint48)",
  "function schedule(address target, bytes data, uint48 when) returns (bytes32 operationId, uint32 nonce)",
  "function execute(address target, bytes data) payable returns (uint32)",
  "function cancel(address caller, address target, bytes data) returns (uint32)",
  "function multicall(bytes[] data) returns (bytes[])",
  "function grantRole(uint64 roleId, address account, uint32 executionDelay)",
  "function revokeRole(uint64 roleId, address account)",
  "function renounceRole(uint64 roleId, address callerConfirmation)",
  "function setRoleAdmin(uint64 roleId, uint64 admin)",
  "function setRoleGuardian(uint64 roleId, uint64 guardian)",
  "function setGrantDelay(uint64 roleId, uint32 newDelay)",
  "function setTargetFunctionRole(address target, bytes4[] selectors, uint64 roleId)",
  "function setTargetAdminDelay(address target, uint32 newDelay)",
  "function setTargetClosed(address target, bool closed)",
  "function updateAuthority(address target, address newAuthority)",
  "function labelRole(uint64 roleId, string label)",
  "event RoleGranted(uint64 indexed roleId, address indexed account, uint32 delay, uint48 since, bool newMember)",
  "event RoleGrantDelayChanged(uint64 indexed roleId, uint32 delay, uint48 since)",
  "event TargetAdminDelayUpdated(address indexed target, uint32 delay, uint48 since)",
  "event OperationScheduled(bytes32 indexed operationId, uint32 indexed nonce, uint48 schedule, address caller, address target, bytes data)",
  "error AccessManagerNotScheduled(bytes32 operationId)",
  "error AccessManagerNotReady(bytes32 operationId)",
  "error AccessManagerExpired(bytes32 operationId)",
  "error AccessManagerUnauthorizedAccount(address sender, uint64 roleId)",
  "error AccessManagerUnauthorizedCall(address caller, address target, bytes4 selector)",
  "error AccessManagerUnauthorizedCancel(address sender, address caller, address target, bytes4 selector)",
]);

/** The role of an `AccessManager`'s administrators. */
export const adminRole = 0n;

/** The role that everybody has. */
export const publicRole = 2n ** 64n - 1n;

/** A question to an `AccessManager`: a view function of {@link accessManagerAbi} and its arguments. */
export type Question = readonly [name: string, ...args: unknown[]];

/** Questions in one request: what they may use together stays below what any node allows for one. */
const mostQuestions = 40;

const callsFor = (manager: string, questions: readonly Question[]) =>
  questions.map(([name, ...args]) => ({
    target: manager,
    data: accessManagerAbi.encodeFunctionData(name, args),
    gasLimit: 100_000,
    sizeLimit: 128,
  }));

/** Returns whether a contract is an `AccessManager`, by how it answers. */
export async function isAccessManager(node: Eip1193Connection, address: string): Promise<boolean> {
  const questions: Question[] = [
    ["PUBLIC_ROLE"],
    ["expiration"],
    ["getTargetFunctionRole", ZeroAddress, "0x00000000"],
  ];
  const answers = await boundedCalls(node, callsFor(address, questions));
  return (
    answers.every(({ hasCode, success, size }) => hasCode && success && size === 32) &&
    BigInt(answers[0]?.data ?? 0) === publicRole
  );
}

/**
 * Asks an `AccessManager` several questions.
 *
 * @throws InvalidInputError when it does not answer one.
 */
export async function askAccessManager(
  node: Eip1193Connection,
  manager: string,
  questions: readonly Question[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < questions.length; at += mostQuestions) {
    const asked = questions.slice(at, at + mostQuestions);
    const answers = await boundedCalls(node, callsFor(manager, asked));
    for (const [index, [name]] of asked.entries()) {
      const answer = answers[index];
      if (!answer?.success || answer.size < 32) {
        throw new InvalidInputError(`The AccessManager ${manager} does not answer ${name}().`);
      }
      results.push(accessManagerAbi.decodeFunctionResult(name, answer.data));
    }
  }
  return results;
}

/** The id under which an `AccessManager` keeps an operation that somebody scheduled. */
export const operationId = (caller: string, target: string, data: string): string =>
  keccak256(AbiCoder.defaultAbiCoder().encode(["address", "address", "bytes"], [caller, target, data]));
