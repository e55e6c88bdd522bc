import { InvalidInputError } from "@hardhat-identity/protocol/errors";

const windows = { minute: "1 minutes", hour: "1 hours", day: "1 days", week: "1 weeks" } as const;

/** How many people a new consumer admits in each window. */
export interface Pace {
  readonly most: number;
  readonly window: keyof typeof windows;
}

/** Reads a pace such as `100/hour`. */
export function readPace(text: string): Pace {
  const [, most, window] = /^([1-9]\d{0,5})\/(minute|hour|day|week)$/.exec(text) ?? [];
  if (most === undefined || window === undefined) {
    throw new InvalidInputError(
      `--pace must be a number of people per minute, hour, day or week, such as 100/hour, got ${JSON.stringify(text)}.`,
    );
  }
  return { most: Number(most), window: window as Pace["window"] };
}

/** Turns a contract that extends `VerifyOnce` into one that extends `VerifyPaced`. */
export function addPace(contract: string, { most, window }: Pace): string {
  const people = most === 1 ? "person" : "people";
  const pace = `    // At most ${most} ${people} in each ${window}, which bounds the loss if a signer's key leaks.
    function pace() public pure override returns (uint256 most, uint256 window) {
        return (${most}, ${windows[window]});
    }

`;
  return contract
    .replaceAll("VerifyOnce", "VerifyPaced")
    .replace("    function provider()", () => `${pace}    function provider()`);
}
