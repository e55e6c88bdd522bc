/** Somebody's device, with a wallet of its own: an account of the development wallet. */
export interface Device {
  readonly person: "alice" | "bob";
  readonly kind: "phone" | "laptop";
  /** Its place among the node's accounts; the first one owns the registry. */
  readonly account: number;
  /** Whether the person's account has been proven for its wallet before the story begins. */
  readonly isProven: boolean;
}

export const devices = {
  alicePhone: { person: "alice", kind: "phone", account: 1, isProven: false },
  aliceLaptop: { person: "alice", kind: "laptop", account: 2, isProven: true },
  bobPhone: { person: "bob", kind: "phone", account: 3, isProven: true },
} as const satisfies Record<string, Device>;

export type DeviceName = keyof typeof devices;

const deviceNames = Object.keys(devices) as DeviceName[];

/**
 * The account of a device. Each round of the story has wallets of its own, as long as the node has some: what was proven
 * for a wallet stays proven.
 */
export function accountOf(device: DeviceName, accounts: readonly string[], round: number): string {
  return accounts[devices[device].account + (round % countRounds(accounts)) * deviceNames.length] ?? "";
}

/** For how many rounds there are accounts. */
export const countRounds = (accounts: readonly string[]): number =>
  Math.max(1, Math.floor((accounts.length - 1) / deviceNames.length));

/** Whose account has been proven for which wallet before the story begins, in every round of it. */
export function listProven(
  accounts: readonly string[],
): readonly { person: Device["person"]; wallet: string }[] {
  const proven = deviceNames.filter((device) => devices[device].isProven);
  return Array.from({ length: countRounds(accounts) }, (_, round) => round).flatMap((round) =>
    proven.map((device) => ({ person: devices[device].person, wallet: accountOf(device, accounts, round) })),
  );
}

/** The accounts of all devices. */
export const accountsOf = (accounts: readonly string[], round: number): readonly string[] =>
  deviceNames.map((device) => accountOf(device, accounts, round));
