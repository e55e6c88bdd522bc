import { expect } from "chai";
import { InvalidInputError } from "../../packages/protocol/errors.ts";
import { buildSignInMessage } from "../../packages/protocol/signIn/build.ts";
import { checkSignIn } from "../../packages/protocol/signIn/check.ts";
import { parseSignIn } from "../../packages/protocol/signIn/parse.ts";

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const consumer = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const other = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";
const issuedAt = new Date("2026-03-01T12:00:00.000Z");
const later = (seconds: number) => new Date(issuedAt.getTime() + seconds * 1000);

const good = buildSignInMessage({
  domain: "app.example",
  address,
  uri: "https://app.example/claim",
  chainId: 84532,
  consumer,
  nonce: "8f3a1c77d0b2",
  issuedAt,
  expirationTime: later(3600),
  notBefore: issuedAt,
});
const rules = { chainId: 84532, maxAge: 600, maxClockSkew: 60 };

function check(message: string, now = later(1)) {
  return checkSignIn(parseSignIn(message), rules, now);
}

function refusal(message: string, now?: Date): string {
  try {
    check(message, now);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error(`Accepted:\n${message}`);
}

/** The good message with one line replaced; fails when there is no such line. */
function withLine(line: string, replacement: string): string {
  expect(good).to.include(line);
  return good.replace(line, replacement);
}

describe("parseSignIn", () => {
  it("never repeats a sign-in message in what it throws", () => {
    const message = withLine("URI: https://app.example/claim", "URI: https://app.example/ secret words");
    expect(() => parseSignIn(message)).to.throw(InvalidInputError, /^((?!secret words)[\s\S])*$/);
  });
});

describe("checkSignIn", () => {
  it("tells the wallet, the chain and the consumer of a message that buildSignInMessage made", () => {
    expect(check(good)).to.deep.equal({ wallet: address, chainId: 84532, consumer });
  });

  it("wants exactly the one statement in a sign-in message", () => {
    const statement = "Claim eligibility for a Verify onchain benefit.";
    for (const wrong of [statement.toLowerCase(), `${statement} `, statement.slice(0, -1), "Sign in."]) {
      expect(refusal(withLine(statement, wrong))).to.include("statement");
    }
    expect(refusal(withLine(`${statement}\n\n`, "\n"))).to.include("statement");
  });

  it("wants a chain that is served in a sign-in message", () => {
    const message = parseSignIn(good.replaceAll("84532", "10"));
    expect(() => checkSignIn(message, rules, later(1))).to.throw(
      InvalidInputError,
      "The sign-in message's Chain ID is 10; this service serves 84532.",
    );
  });

  const resource = `- eip155:84532:${consumer}`;

  it("finds the one consumer among a sign-in message's other resources", () => {
    for (const lines of [
      `- eip155:84532:${consumer.toLowerCase()}`,
      `- eip155:84532:0x${consumer.slice(2).toUpperCase()}`,
      `${resource}\n- eip155:84532:${consumer.toLowerCase()}`,
      `- https://app.example/terms\n${resource}\n- ipfs://bafy\n- bip122:000000000019d6689c085ae165831e93:abc`,
    ]) {
      expect(check(withLine(resource, lines)).consumer).to.equal(consumer);
    }
  });

  it("refuses a sign-in message with no consumer, two consumers, or a resource that cannot be one", () => {
    const wanted = "eip155:84532:<consumer contract address>";
    const none = `The resources must include ${wanted}.`;
    const wrong = `A resource must be ${wanted}; the address or its checksum is wrong.`;
    const chain = (named: string) =>
      `The resource eip155:${named}:… names another chain than the message's Chain ID 84532.`;
    for (const [lines, message] of [
      ["- https://app.example/terms", none],
      [
        `${resource}\n- eip155:84532:${other}`,
        `The resources must name exactly one contract as ${wanted}, not 2.`,
      ],
      [`- eip155:10:${consumer}`, chain("10")],
      [`${resource}\n- eip155:10:${consumer}`, chain("10")],
      [`- eip155:084532:${consumer}`, chain("084532")],
      [`- eip155:84532:${consumer.replace("F", "f")}`, wrong],
      [`- eip155:84532:${consumer}/enroll`, wrong],
      [`- eip155:84532:${consumer.toLowerCase().slice(0, -1)}`, wrong],
      [`- eip155:84532:${consumer.toLowerCase().slice(2)}`, wrong],
      [`- eip155:84532:0X${consumer.toLowerCase().slice(2)}`, wrong],
      ["- eip155:84532:", wrong],
      [`${resource}\n- eip155:84532:${consumer.replace("F", "f")}`, wrong],
      [`- EIP155:84532:${consumer}`, wrong],
      [`${resource}\n- EIP155:84532:${other}`, wrong],
      [`- x-eip155:84532:${consumer}`, none],
    ] as const) {
      expect(refusal(withLine(resource, lines))).to.equal(message);
    }
    expect(refusal(withLine(`\nResources:\n${resource}`, ""))).to.equal(none);
  });

  it("takes a sign-in message until it is too old, and not before its clock may have reached it", () => {
    check(good, later(600));
    expect(refusal(good, later(600.001))).to.include("more than 600 seconds ago");
    const early = withLine("Not Before: 2026-03-01T12:00:00.000Z", "Not Before: 2026-03-01T11:00:00.000Z");
    check(early, later(-60));
    expect(refusal(early, later(-60.001))).to.include("more than 60 seconds in the future");
  });

  it("honours a sign-in message's Expiration Time and Not Before", () => {
    const expiring = withLine(
      "Expiration Time: 2026-03-01T13:00:00.000Z",
      "Expiration Time: 2026-03-01T12:00:30Z",
    );
    check(expiring, later(29.999));
    expect(refusal(expiring, later(30))).to.equal("The sign-in message has expired (Expiration Time).");
    const waiting = withLine("Not Before: 2026-03-01T12:00:00.000Z", "Not Before: 2026-03-01T14:00:30+02:00");
    expect(refusal(waiting, later(29.999))).to.equal("The sign-in message is not valid yet (Not Before).");
    check(waiting, later(30));
  });
});

describe("A message that is too long", () => {
  const bytes = (text: string) => Buffer.byteLength(text);
  const withPath = (fill: string, count: number) => withLine("/claim", `/claim${fill.repeat(count)}`);
  const room = 4_096 - bytes(good);

  it("refuses a sign-in message above 4,096 bytes", () => {
    expect(bytes(withPath("a", room))).to.equal(4_096);
    expect(check(withPath("a", room))).to.include({ consumer });
    expect(refusal(withPath("a", room + 1))).to.include("4096 bytes");
    expect(() => parseSignIn("a".repeat(4_097))).to.throw(InvalidInputError, "4096 bytes");
    expect(() => parseSignIn("a".repeat(4_096))).to.throw(InvalidInputError, "not valid EIP-4361");
  });

  it("measures a sign-in message as UTF-8", () => {
    expect(() => parseSignIn("é".repeat(2_049))).to.throw(InvalidInputError, "4096 bytes");
    expect(() => parseSignIn("é".repeat(2_048))).to.throw(InvalidInputError, "not valid EIP-4361");
  });
});
