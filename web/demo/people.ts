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
