/** Somebody's device, with a wallet of its own: an account of the development wallet. */
export interface Device {
  readonly person: "alice" | "bob";
  readonly kind: "phone" | "laptop";
  /** Its place among the node's accounts; the first one owns the registry. */
  readonly account: number;
}

export const devices = {
  alicePhone: { person: "alice", kind: "phone", account: 1 },
  aliceLaptop: { person: "alice", kind: "laptop", account: 2 },
  bobPhone: { person: "bob", kind: "phone", account: 3 },
} as const satisfies Record<string, Device>;

export type DeviceName = keyof typeof devices;

const deviceNames = Object.keys(devices) as DeviceName[];

/**
 * The account of a device. Each round of the story has wallets of its own, as long as the node has some: what was proven
 * for a wallet stays proven.
 */
export function accountOf(device: DeviceName, accounts: readonly string[], round: number): string {
  const rounds = Math.max(1, Math.floor((accounts.length - 1) / deviceNames.length));
  return accounts[devices[device].account + (round % rounds) * deviceNames.length] ?? "";
}

/** The accounts of all devices. */
export const accountsOf = (accounts: readonly string[], round: number): readonly string[] =>
  deviceNames.map((device) => accountOf(device, accounts, round));
