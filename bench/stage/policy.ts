import { encodePolicy } from "../../protocol/policyEncoding.ts";

/** What the consumer on the stage (examples/IncentiveProgram) demands. */
export const policy = {
  provider: "microblog",
  conditions: [{ name: "followers", op: "gt", value: "1000" }],
} as const;

export const encodedPolicy = encodePolicy(policy);

/** What every wallet on the stage has. */
export const traits = { followers: "1200" };
