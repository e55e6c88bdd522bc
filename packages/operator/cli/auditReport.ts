import { optional } from "@hardhat-identity/console/options";
import { plural } from "@hardhat-identity/console/plural";
import { print, printError } from "@hardhat-identity/console/print";
import { parseAddress } from "@hardhat-identity/protocol/address";
import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { withReadableErrors } from "../operations/withStore.ts";
import { type AuditReport, type Counts, reportAudit } from "../store/reportAudit.ts";
import { readTime } from "./readTime.ts";
import { readStoreOptions } from "./serviceStore.ts";

/** The reasons in words, for the contract's owner. */
const reasons: Readonly<Record<string, string>> = {
  verification_not_found: "had no verified account yet",
  needs_reauth: "had to verify the account again",
  conditions_not_satisfied: "did not meet the conditions",
  invalid_policy: "found that the contract's policy or cutoff had changed",
};

export async function report({
  contract,
  since,
  csv = false,
  json = false,
}: {
  contract?: string;
  since?: string;
  csv?: boolean;
  json?: boolean;
}): Promise<number> {
  if (csv && json) throw new InvalidInputError("--csv and --json exclude each other: give one of them.");
  let code = 0;
  const found = await withReadableErrors(() =>
    reportAudit(
      {
        ...readStoreOptions(),
        contract: parseAddress("--contract", contract),
        since: optional(since, (text) => readTime("--since", text)),
      },
      (problem) => {
        printError(problem);
        code = 1;
      },
    ),
  );
  if (found.isCut) printError("Older entries were removed from the audit trail, and are not counted.");
  if (json) print(JSON.stringify(found));
  else print(csv ? writeCsv(found) : draw(found, since));
  return code;
}

function writeCsv({ days, refused }: AuditReport): string {
  const names = Object.keys(refused);
  const lines = days.map((each) =>
    [each.day, each.signed, each.identities, ...names.map((name) => each.refused[name])].join(),
  );
  return [["day", "signed", "identities", ...names].join(), ...lines].join("\n");
}

/** The width of the longest bar, in characters. */
const barWidth = 40;

function draw(found: AuditReport, since: string | undefined): string {
  const { contract, chainId, days, signed, identities, refused } = found;
  const heading = `${contract} on chain ${chainId}, by day (UTC)`;
  if (days.length === 0) {
    const when = since === undefined ? "" : ` since ${since}`;
    return `${heading}\n\nThe service has signed and refused nothing for this contract${when}.`;
  }
  const most = Math.max(...days.map((each) => each.signed));
  const rows = [
    ["", "signed", "people", "refused", ""],
    ...days.map((each) => [each.day, ...numbersOf(each), bar(each.signed, most)]),
    ["Total", ...numbersOf(found), ""],
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([day = "", ...cells]) => {
    const padded = cells.slice(0, 3).map((cell, i) => cell.padStart(widths[i + 1] ?? 0));
    return [day.padEnd(widths[0] ?? 0), ...padded, cells[3]].join("  ").trimEnd();
  });
  const counted = Object.entries(refused).filter(([, count]) => count > 0);
  const why = counted.map(([reason, count]) => `${plural(count, "request")} ${reasons[reason]} (${reason})`);
  const people = `${plural(signed, "verification")} for ${identities === 1 ? "1 person" : `${identities} people`}.`;
  return [heading, "", ...lines, "", people, ...(why.length > 0 ? ["Refused:", ...why] : [])].join("\n");
}

const numbersOf = ({ signed, identities, refused }: Counts) => [
  String(signed),
  String(identities),
  String(Object.values(refused).reduce((sum, count) => sum + count, 0)),
];

/** A day with a single verification has a bar, too. */
const bar = (count: number, most: number) =>
  "█".repeat(count === 0 ? 0 : Math.max(1, Math.round((barWidth * count) / most)));
