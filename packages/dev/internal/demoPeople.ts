import { readAuthenticationTime } from "@hardhat-identity/protocol/chain/clock";
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import { listProven } from "../demo/story.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { withDevelopmentStore } from "./credentials.ts";

/** Account ids of the demo's people at the sandbox. */
const accountIds = { alice: "1001", bob: "1002" } as const;

/**
 * Stores the accounts that the demo's story takes for proven (see `listProven`). This happens when somebody opens the demo,
 * so that the store is empty otherwise. It replaces nothing.
 */
export async function proveForDemo(input: {
  node: Eip1193Connection;
  databaseUrl: string;
  accounts: readonly string[];
  sandbox: Pick<Sandbox, "accounts">;
}): Promise<void> {
  const { node, databaseUrl, accounts, sandbox } = input;
  const provider = "microblog";
  const authenticatedAt = await readAuthenticationTime(node);
  await withDevelopmentStore({ databaseUrl }, async (store) => {
    for (const { person, wallet } of listProven(accounts)) {
      const account = sandbox.accounts[provider].get(accountIds[person]);
      if (account === undefined || (await store.has(wallet, provider))) continue;
      const { accountId, traits } = account;
      await store.set({ wallet, provider, accountId, traits, authenticatedAt });
    }
  });
}
