import { expect } from "chai";
import { describeAge } from "../../packages/console/age.ts";
import { breakCommand } from "../../packages/console/breakCommand.ts";
import { didYouMean } from "../../packages/console/closest.ts";
import { columns } from "../../packages/console/columns.ts";
import { plural } from "../../packages/console/plural.ts";
import { print } from "../../packages/console/print.ts";
import { showProgress } from "../../packages/console/progress.ts";
import { showTime } from "../../packages/console/time.ts";
import { setEnvironment } from "../fixtures/environment.ts";
import { passTime, stopTime } from "../fixtures/passTime.ts";
import { replace } from "../fixtures/replace.ts";
import { skip } from "../fixtures/skip.ts";

const [minute, hour, day] = [60, 3_600, 86_400];

describe("The words of commands and tasks", () => {
  it("tell an age in whole days, hours or minutes, and no time to come", () => {
    for (const [seconds, words] of [
      [-day, "just now"],
      [0, "just now"],
      [minute - 1, "just now"],
      [minute, "1 minute ago"],
      [2 * minute - 1, "1 minute ago"],
      [hour - 1, "59 minutes ago"],
      [hour, "1 hour ago"],
      [day - 1, "23 hours ago"],
      [day, "1 day ago"],
      [3 * day - 1, "2 days ago"],
      [400 * day, "400 days ago"],
    ] as const) {
      expect(describeAge(1_760_000_000 - seconds, 1_760_000_000), String(seconds)).to.equal(words);
    }
    expect(describeAge(Date.now() / 1000 - 90)).to.equal("1 minute ago");
    expect(describeAge(0, 20_000 * day)).to.equal("20,000 days ago");
  });

  it("count one thing, and none or several", () => {
    expect([0, 1, 2].map((count) => plural(count, "row"))).to.deep.equal(["0 rows", "1 row", "2 rows"]);
  });

  it("show a time in UTC, in seconds", () => {
    expect(showTime(1_769_824_800)).to.equal("2026-01-31T02:00:00Z");
    expect(showTime(0)).to.equal("1970-01-01T00:00:00Z");
  });

  it("name the word that was most likely meant, if there is one", () => {
    const known = ["backup", "audit", "credential", "--status", "--json", "id"];
    for (const [word, meant] of [
      ["back", "backup"],
      ["adit", "audit"],
      ["credentials", "credential"],
      ["--state", "--status"],
      ["--jsn", "--json"],
      ["ip", "id"],
    ] as const) {
      expect(didYouMean(word, known), word).to.equal(` Did you mean ${meant}?`);
    }
    for (const word of ["", "serve", "august", "--port", "x"])
      expect(didYouMean(word, known), word).to.equal("");
    expect(didYouMean("baz", ["bar", "bat", "bay"])).to.equal(" Did you mean bar?");
    expect(didYouMean("dve", ["dev", "init"]), "two letters swapped").to.equal(" Did you mean dev?");
    expect(didYouMean("audits", ["edits", "audit"])).to.equal(" Did you mean audit?");
  });

  it("lay out names and values in two columns, each row on one line", () => {
    expect(columns([])).to.equal("");
    expect(
      columns([
        ["a", 1],
        ["longer", 2n],
        ["b", "two\nlines"],
      ]),
    ).to.equal("a       1\nlonger  2\nb       two\\u000alines");
    setEnvironment({ FORCE_COLOR: "1", NO_COLOR: undefined });
    const printed: string[] = [];
    replace(console, "log", (line: string) => void printed.push(line));
    for (const name of ["Verified", "Accepted", "Refused", "Failed", "Gas"]) print(columns([[name, 1]]));
    expect(printed.map((line) => JSON.stringify(line))).to.deep.equal([
      '"\\u001b[32mVerified\\u001b[39m  1"',
      '"\\u001b[32mAccepted\\u001b[39m  1"',
      '"\\u001b[31mRefused\\u001b[39m  1"',
      '"\\u001b[31mFailed\\u001b[39m  1"',
      '"Gas  1"',
    ]);
  });

  it("break a command before an option where it would be longer than 80 columns", function () {
    if (process.platform === "win32") skip(this, "shells of Windows break no command", "another system");
    const start = `npx hardhat ${"x".repeat(51)}`;
    const option = (length: number) => `--${"o".repeat(length - 2)}`;
    expect(breakCommand("npx hardhat identity dev --open")).to.equal("npx hardhat identity dev --open");
    expect(breakCommand(`${start} ${option(12)}`)).to.equal(`${start} ${option(12)}`);
    expect(breakCommand(`${start} ${option(13)}`)).to.equal(`${start} \\\n  ${option(13)}`);
    expect(breakCommand(`${start} --a ${"v".repeat(20)} -b`)).to.equal(
      `${start} \\\n  --a ${"v".repeat(20)} -b`,
    );
  });

  it("tell how far something is at once, and then once a second, on standard error", () => {
    const said: unknown[] = [];
    replace(console, "error", (text: unknown) => void said.push(text));
    stopTime();
    const tell = showProgress((done: number, of: number) => `${done} of ${of}`);
    tell(1, 9);
    tell(2, 9);
    passTime(999);
    tell(3, 9);
    passTime(1);
    tell(4, 9);
    tell(5, 9);
    expect(said).to.deep.equal(["1 of 9", "4 of 9"]);
  });

  it("tell it in one line of a terminal, which goes when something else is printed", () => {
    let screen = "";
    const lines: unknown[] = [];
    replace(process.stderr, "isTTY", true);
    replace(process.stderr, "columns", 20);
    replace(process.stderr, "write", (text: string) => {
      screen += text;
      return true;
    });
    replace(console, "log", (text: unknown) => void lines.push(text));
    stopTime();
    const tell = showProgress((done: number) => `Attack ${done} of 32 \u001b[2J`);
    tell(1);
    passTime(100);
    tell(2);
    print("Done.");
    print("All is well.");
    const erased = "\r\u001b[2K";
    expect(screen).to.equal(`Attack 1 of 32 \\u00${erased}Attack 2 of 32 \\u00${erased}`);
    expect(lines).to.deep.equal(["Done.", "All is well."]);
  });
});
