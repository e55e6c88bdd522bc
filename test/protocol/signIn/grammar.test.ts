import { expect } from "chai";
import {
  change,
  characters,
  demandRefused,
  demandTaken,
  full,
  places,
} from "../../fixtures/protocol/grammar.ts";
import { judge } from "../../fixtures/protocol/judge.ts";

describe("The grammar of EIP-4361", () => {
  it("finds every field of a sign-in message where EIP-4361 has it", () => {
    expect(demandTaken(full)).to.deep.equal({
      domain: "app.example",
      address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
      statement: "I accept the terms: https://app.example/terms",
      uri: "https://app.example/claim",
      chainId: 84532,
      nonce: "8f3a1c77d0b2",
      issuedAt: new Date("2026-03-01T12:00:00.000Z"),
      expirationTime: new Date("2026-03-01T13:00:00.000Z"),
      notBefore: new Date("2026-03-01T11:00:00.000Z"),
      resources: ["ipfs://bafy/", "https://app.example/claim.json"],
    });
  });

  const lines = full.split("\n");
  const without = (...removed: readonly number[]) => lines.filter((_, i) => !removed.includes(i)).join("\n");

  it("lets each of a sign-in message's last fields be missing", () => {
    for (let kept = 0; kept < 16; kept++) {
      const removed = [[10], [11], [12], [13, 14, 15]].filter((_, i) => (kept & (1 << i)) === 0).flat();
      const parsed = demandTaken(without(...removed));
      expect(parsed.expirationTime !== undefined).to.equal(!removed.includes(10));
      expect(parsed.notBefore !== undefined).to.equal(!removed.includes(11));
      expect(parsed.resources).to.have.length(removed.includes(13) ? 0 : 2);
    }
  });

  it("demands a sign-in message's first fields, and names the line, what it wants and what it found", () => {
    for (const [missing, why] of [
      [0, 'line 1: "<domain> wants you to sign in with your Ethereum account:" is wanted'],
      [1, "line 2: an address is wanted, 0x and 40 hex digits"],
      [2, "line 3: an empty line is wanted, not something else"],
      [4, 'line 5: an empty line is wanted, not "URI: "'],
      [5, 'line 6: "URI: " is wanted, not "Version: "'],
      [6, 'line 7: "Version: " is wanted, not "Chain ID: "'],
      [7, 'line 8: "Chain ID: " is wanted, not "Nonce: "'],
      [8, 'line 9: "Nonce: " is wanted, not "Issued At: "'],
      [9, 'line 10: "Issued At: " is wanted, not "Expiration Time: "'],
      [13, 'line 14: the end is wanted, not "- "'],
    ] as const) {
      demandRefused(without(missing), `The sign-in message is not valid EIP-4361 (${why}`);
    }
  });

  it("refuses a message that ends early, wherever that is", () => {
    for (let end = 1; end < 10; end++) demandRefused(lines.slice(0, end).join("\n"), `line ${end + 1}: `);
    demandRefused(lines.slice(0, 6).join("\n"), 'line 7: "Version: " is wanted, not the end');
    demandRefused(lines.toSpliced(5, 0, "").join("\n"), 'line 6: "URI: " is wanted, not an empty line');
    demandRefused(`${full}\n`, "line 17: the end is wanted, not an empty line");
    for (let end = 0; end < full.length; end++) judge(full.slice(0, end));
  });

  it("refuses a field that comes twice, and two that have changed places", () => {
    for (let i = 0; i < 14; i++) {
      demandRefused(lines.toSpliced(i, 0, lines[i] ?? "").join("\n"), "line ");
      if (i === 2) continue;
      demandRefused(lines.toSpliced(i, 2, lines[i + 1] ?? "", lines[i] ?? "").join("\n"), "line ");
    }
  });

  it("wants the titles of a sign-in message's fields exactly", () => {
    for (const title of lines.slice(5).map((line) => line.replace(/ .*/, ""))) {
      const at = lines.findIndex((line) => line.startsWith(title));
      for (const odd of [title.toLowerCase(), ` ${title}`, title.slice(0, -1), `${title}\t`]) {
        if (odd === title) continue;
        demandRefused(
          lines.toSpliced(at, 1, (lines[at] ?? "").replace(title, odd)).join("\n"),
          `line ${at + 1}`,
        );
      }
    }
    demandRefused(change("wants you", "Wants you"), "line 1");
    demandRefused(change("account:", "account: "), "line 1");
    demandRefused(change("Resources:", "Resources: "), "line 14: Resources: must be all of its line");
  });

  it("takes a scheme before a sign-in message's domain, and nothing else", () => {
    for (const scheme of ["https", "a", "A1+-."]) {
      expect(demandTaken(change("app.example wants", `${scheme}://app.example wants`)).domain).to.equal(
        "app.example",
      );
    }
    for (const origin of [
      "1a://app.example",
      "://app.example",
      "a:/app.example",
      "a_://app.example",
      "a://b://c",
    ]) {
      demandRefused(change("app.example wants", `${origin} wants`), "line 1: the domain has U+");
    }
    for (const origin of ["", "a://"]) {
      demandRefused(change("app.example wants", `${origin} wants`), "line 1: the domain is empty");
    }
  });

  it("takes a sign-in message's address with its checksum alone", () => {
    const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    for (const odd of [
      address.toLowerCase(),
      address.replace("F", "f"),
      `0x${address.slice(2).toUpperCase()}`,
    ]) {
      demandRefused(change(address, odd), "line 2: the address does not have its EIP-55 checksum");
    }
    for (const odd of [
      address.replace("x", "X"),
      address.slice(0, -1),
      `${address}0`,
      ` ${address}`,
      `${address} `,
    ]) {
      demandRefused(change(address, odd), "line 2: an address is wanted");
    }
    demandRefused(change(address, address.replace("f", "g")), "line 2: an address is wanted");
  });

  it("tells no statement, an empty one and another from one another", () => {
    const statement = "\n\nI accept the terms: https://app.example/terms\n\n";
    for (const [between, wanted] of [
      ["\n\n\n", undefined],
      ["\n\n\n\n", ""],
      ["\n\n \n\n", " "],
      ["\n\nURI: https://app.example/\n\n", "URI: https://app.example/"],
      ["\n\n:/?#[]@!$&'()*+,;= azAZ09-._~\n\n", ":/?#[]@!$&'()*+,;= azAZ09-._~"],
    ] as const) {
      expect(demandTaken(change(statement, between)).statement).to.equal(wanted);
    }
    for (const between of ["\n", "\n\n", "\n\n\n\n\n", "\na\n\n", "\n\na\n", "\n\na\nb\n\n", "\n\na\n\n\n"]) {
      demandRefused(change(statement, between), "line ");
    }
    demandRefused(change(statement, '\n\nHe said "yes"\n\n'), "line 4: the statement has U+0022");
  });

  it("knows one version of sign-in messages", () => {
    for (const version of ["", "0", "2", "11", "01", "1 ", " 1", "1.0"]) {
      demandRefused(change("Version: 1", `Version: ${version}`), "line 7: Version must be 1");
    }
  });

  it("takes digits for a chain id, of a number that is exact", () => {
    for (const [text, chainId] of [
      ["0", 0],
      ["1", 1],
      ["00010", 10],
      ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ] as const) {
      expect(demandTaken(change("84532", text)).chainId).to.equal(chainId);
    }
    for (const text of ["", "-1", "+1", "1.0", "0x1", "1e3", " 1", "1 ", "١"]) {
      demandRefused(change("84532", text), "line 8: Chain ID must be digits");
    }
    for (const text of ["9007199254740992", "9007199254740993", "9".repeat(300)]) {
      demandRefused(change("84532", text), "line 8: Chain ID is above 2^53 - 1", "a chain id above 2^53 - 1");
    }
    demandRefused(change("84532", "9".repeat(400)), "line 8: Chain ID is above 2^53 - 1");
  });

  it("takes eight or more letters and digits for a nonce", () => {
    for (const nonce of ["12345678", "azAZ0189", "a".repeat(200)]) {
      expect(demandTaken(change("8f3a1c77d0b2", nonce)).nonce).to.equal(nonce);
    }
    for (const nonce of ["", "1234567", "1234567-", "12345678-", "12345678 ", " 12345678", "1234567é"]) {
      demandRefused(change("8f3a1c77d0b2", nonce), "line 9: Nonce must be 8 or more letters and digits");
    }
  });

  it("takes what a segment of a path may have for a request id", () => {
    for (const id of ["", "-._~!$&'()*+,;=:@azAZ09", "%41%fF"]) demandTaken(change("some-id", id));
    demandRefused(change("some-id", "a/b"), "line 13: Request ID has U+002F");
    for (const id of ["a b", "a?", "a#", "[", "%4", "%g0", "é"])
      demandRefused(change("some-id", id), "line 13");
  });

  it("takes any number of resources in a sign-in message, one a line", () => {
    const list = "\n- ipfs://bafy/\n- https://app.example/claim.json";
    for (const resources of [[], ["a:"], ["a:", "b:", "a:"]]) {
      const text = resources.map((resource) => `\n- ${resource}`).join("");
      expect(demandTaken(change(list, text)).resources).to.deep.equal(resources);
    }
    for (const text of [
      "\n",
      "\n-",
      "\n- ",
      "\na:",
      "\n-a:",
      "\n - a:",
      "\n- a:\n",
      "\n- a:, b:",
      "\n- a:\n\n- b:",
    ]) {
      demandRefused(change(list, text), "line 1");
    }
    demandRefused(change("- ipfs://bafy/", "- bafy"), "line 15: the resource has no scheme");
  });

  for (const [place, withCharacter] of Object.entries(places)) {
    it(`has each kind of character where the judge has it: in ${place}`, () => {
      const verdicts = new Set<string>();
      for (const character of [...characters].filter((each) => !/[1-9B-EH-UW-Yb-eh-uwy]/.test(each))) {
        verdicts.add(judge(withCharacter(character)));
      }
      expect([...verdicts]).to.include.members(["accepted", "refused"]);
    });
  }
});
