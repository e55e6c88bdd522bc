import { expect } from "chai";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { checkSignIn } from "../../../protocol/signIn/check.ts";
import { parseSignIn } from "../../../protocol/signIn/parse.ts";
import { statement } from "../../../protocol/signIn/statement.ts";
import { readVectors } from "../../fixtures/protocol/vectors.ts";
import { openTestCurve } from "../../fixtures/signer/curves.ts";

/** Fields of a message, as siwe takes them in an object. */
interface Fields {
  readonly domain?: string;
  readonly address?: string;
  readonly statement?: string;
  readonly uri?: string;
  readonly version?: string;
  readonly chainId?: number | string;
  readonly nonce?: string;
  readonly issuedAt?: string;
  readonly expirationTime?: string;
  readonly notBefore?: string;
  readonly requestId?: string;
  readonly resources?: readonly string[];
}

/** The clock of the verification is `time`, or the real one. */
type Verification = Fields & { readonly signature: string; readonly time?: string };

const consumer = "0x5FbDB2315678afecb367f032d93F642f64180aa3";

/** The message of these fields, right or wrong. A field that is missing has no line. */
function write(fields: Fields): string {
  const line = (title: string, value: number | string | undefined) =>
    value === undefined ? [] : [`${title}: ${value}`];
  return [
    `${fields.domain ?? ""} wants you to sign in with your Ethereum account:`,
    ...[fields.address ?? "", "", fields.statement, ""],
    ...line("URI", fields.uri),
    ...line("Version", fields.version),
    ...line("Chain ID", fields.chainId),
    ...line("Nonce", fields.nonce),
    ...line("Issued At", fields.issuedAt),
    ...line("Expiration Time", fields.expirationTime),
    ...line("Not Before", fields.notBefore),
    ...line("Request ID", fields.requestId),
    ...(fields.resources ? ["Resources:", ...fields.resources.map((uri) => `- ${uri}`)] : []),
  ].join("\n");
}

/** The same with the statement and the consumer that a verification wants. */
const asOurs = (fields: Fields) =>
  write({ ...fields, statement, resources: [...(fields.resources ?? []), `eip155:1:${consumer}`] });

/** Whether the wallet signed siwe's message, and whether the rules take ours, 10 minutes old at most. */
async function verify(vector: Verification, now: Date): Promise<"accepted" | "refused"> {
  const { hashes, curve } = await openTestCurve();
  const signer = curve.recover(hashes.hashMessage(write(vector)), vector.signature);
  if (signer?.toLowerCase() !== vector.address?.toLowerCase()) return "refused";
  try {
    checkSignIn(parseSignIn(asOurs(vector)), { chainIds: [1], maxAge: 600, maxClockSkew: 60 }, now);
    return "accepted";
  } catch (error) {
    if (error instanceof InvalidInputError) return "refused";
    throw error;
  }
}

const stricterClock = "a message is good for 10 minutes after its Issued At, and siwe asks for no age";
const ofTheApp = "the app compares the domain and the nonce that it chose, and the service knows neither";
const differences: Readonly<Record<string, string>> = {
  "positive: not yet valid": stricterClock,
  "positive: expired message": "its Issued At is a year in the future at the vector's time",
  "negative: domain binding": ofTheApp,
  "negative: custom nonce": ofTheApp,
};

describe("siwe's vectors of verifications, with our statement and resource", () => {
  for (const [kind, verdict] of [
    ["positive", "accepted"],
    ["negative", "refused"],
  ] as const) {
    const vectors = readVectors<Record<string, Verification>>(`siwe/verification_${kind}.json`);
    for (const [name, vector] of Object.entries(vectors)) {
      const reason = differences[`${kind}: ${name}`];
      const other = verdict === "accepted" ? "refused" : "accepted";
      const title = reason === undefined ? `are ${verdict} as there` : `are ${other}, because ${reason}`;
      it(`${title}: ${name}`, async () => {
        // Where the vector has no time, siwe takes the real one, at which every vector is too old for us. A second after
        // its Issued At, the rest of it decides.
        const issuedAt = Date.parse(vector.issuedAt ?? "");
        const now = vector.time ? new Date(vector.time) : new Date((issuedAt || Date.now()) + 1000);
        expect(await verify(vector, now)).to.equal(reason === undefined ? verdict : other);
      });
    }
  }
});

describe("siwe's vectors of fields that make no message", () => {
  const vectors = readVectors<Record<string, Fields>>("siwe/parsing_negative_objects.json");

  // Our builder takes each time as a Date and checks no other field: the service's parser does.
  it("are complete with the field that one of them lacks", () => {
    parseSignIn(asOurs({ ...vectors["missing domain"], domain: "service.org" }));
  });
  for (const [name, fields] of Object.entries(vectors)) {
    it(`are refused once they are written: ${name}`, () => {
      expect(() => parseSignIn(asOurs(fields))).to.throw(InvalidInputError);
    });
  }
});
