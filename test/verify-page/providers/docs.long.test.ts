import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import { network } from "hardhat";
import type * as sandboxes from "../../../packages/dev/sandbox/sandbox.ts";
import { catalogue } from "../../../packages/protocol/catalogue.ts";
import { connectors } from "../../../packages/verify-page/connectors/connectors.ts";
import { providerVariableEndings } from "../../../packages/verify-page/providers/config.ts";
import type * as oauth from "../../../packages/verify-page/providers/oauth.ts";
import { readSnippets } from "../../fixtures/markdown.ts";
import { gitHub } from "../../fixtures/providers/gitHub.ts";
import { comeBack, serveProvider } from "../../fixtures/providers/prove.ts";
import type { Behaviour } from "../../fixtures/providers/standIn.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { answerSandbox, ScriptedBrowser } from "../../fixtures/signer/scriptedBrowser.ts";
import { cleanEnvironment, root } from "../../fixtures/tasks/hardhat.ts";

describe("docs/providers.md", () => {
  const page = readFileSync(join(root, "docs/providers.md"), "utf8");

  it("lists everything that a contract may ask, and nothing else", () => {
    const known = [...catalogue].flatMap(([provider, entries]) =>
      [...entries].map(([name, { type, operators }]) => [provider, name, type, operators.join(", ")]),
    );
    const [, ofInt = "", ofOthers = ""] =
      /An `int` takes ([^;]+); a `bool` and a `string` take ([^.]+)\./.exec(page.replace(/\s+/g, " ")) ?? [];
    const operatorsOf = (list: string) => [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name).join(", ");
    const listed = [...page.matchAll(/^- `(\w+)` \(.+?\): (.+)$/gm)].flatMap(
      ([, provider, conditions = ""]) =>
        conditions.split(", ").map((condition) => {
          const [, name, type] = /^`(\w+)` \((\w+)\)$/.exec(condition) ?? [];
          return [provider, name, type, operatorsOf(type === "int" ? ofInt : ofOthers)];
        }),
    );
    expect(listed).to.have.deep.members(known);
  });

  it("lists every variable of a provider, and every provider", () => {
    const variables = [...page.matchAll(/^- `IDENTITY_<PROVIDER>_(\w+)`:/gm)].map(([, ending]) => ending);
    expect(variables).to.deep.equal(providerVariableEndings);
    const providers = [...page.matchAll(/^### .+ \(`(\w+)`\)$/gm)].map(([, name]) => name);
    expect(providers).to.deep.equal(Object.keys(connectors));
  });

  it("walks through a fifth provider: with what it says, a copy of the service proves accounts there", async () => {
    const copy = copyRooms();
    try {
      writeFileSync(
        join(copy, "packages/verify-page/connectors/github.ts"),
        snippet("// packages/verify-page/connectors/github.ts\n"),
      );
      const entry = snippet("// catalogue entry\n").split("\n")[1] ?? "";
      change(copy, "packages/protocol/catalogue.ts", "const entries = {\n", `$&${entry}\n`);
      change(
        copy,
        "packages/verify-page/connectors/connectors.ts",
        /^import \{ exchange/m,
        'import { github } from "./github.ts";\n$&',
      );
      change(copy, "packages/verify-page/connectors/connectors.ts", "  microblog,\n", "$&  github,\n");
      execFileSync("tsc", ["-p", copy], { env: cleanEnvironment(), cwd: root });

      const load = (file: string) => import(join(copy, file));
      const { connectors: five } = await load("packages/verify-page/connectors/connectors.ts");
      const { startSandbox }: typeof sandboxes = await load("packages/dev/sandbox/sandbox.ts");
      const { startAuthorization, proveAccount }: typeof oauth = await load(
        "packages/verify-page/providers/oauth.ts",
      );
      const connector = five.github;
      const place = { start: startAuthorization, connector, standIn: await serveProvider("github", gitHub) };
      const prove = async (behaviour: Behaviour) => proveAccount(await comeBack(place, behaviour));
      expect(await prove({})).to.deep.equal({
        accountId: "583231",
        accountName: "alice",
        traits: { followers: "20000", public_repos: "8" },
      });
      expect((await prove({ account: { id: 2 ** 52 } })).accountId, "chosen anew").to.equal(`${2 ** 52}`);
      for (const [behaviour, reason, says] of [
        [{ deny: true }, "denied", "access_denied"],
        [{ withholdScopes: ["read:user"] }, "partly_denied", "read:user"],
        [{ suspended: true }, "refused", "/user answers 403"],
        [{ rateLimited: true }, "rate_limited", "/user answers 403"],
        [{ rateLimitedTwice: true }, "rate_limited", '/user answers 403 "secondary-rate-limits"'],
        [{ outOfCredit: true }, "not_set_up", "application_suspended"],
        [{ newSecret: true }, "not_set_up", '200 "incorrect_client_credentials"'],
        [{ lateCode: true }, "expired", '200 "bad_verification_code"'],
      ] as const) {
        const error = await rejection(prove(behaviour));
        expect(error).to.include({ name: "ProviderFailure", reason });
        expect(error.message)
          .to.include(says)
          .and.not.match(/alice|583231/);
      }

      const { provider: node } = await network.create("identityLocal");
      const sandbox = await startSandbox({ node });
      try {
        const provider = "github" as "microblog";
        const client = sandbox.clients[provider];
        const redirectUri = "http://127.0.0.1:3000/verify/callback/github";
        const { url, state, codeVerifier } = startAuthorization({ connector, client, redirectUri });
        const browser = new ScriptedBrowser();
        const page = await browser.visit(url);
        const form = { action: "invent", accountId: "7", "trait.public_repos": "3" };
        const back = await answerSandbox(browser, page, form, (next) => next.pathname.startsWith("/verify/"));
        const callbackUrl = back.url;
        expect(
          await proveAccount({ connector, client, callbackUrl, state, codeVerifier, timeoutSeconds: 10 }),
        ).to.deep.equal({ accountId: "7", accountName: "7", traits: { public_repos: "3" } });
      } finally {
        await sandbox.close();
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });

  function snippet(start: string): string {
    const found = readSnippets("docs/providers.md").find(({ text }) => text.startsWith(start));
    if (found === undefined) throw new Error(`docs/providers.md has no block that starts with ${start}`);
    return found.text;
  }

  /** The rooms that know providers, in a folder from which the packages are found. */
  function copyRooms(): string {
    const rooms = ["packages/protocol", "signer", "packages/verify-page", "packages/dev/sandbox"];
    mkdirSync(join(root, "cache"), { recursive: true });
    const folder = mkdtempSync(join(root, "cache/fifth-provider-"));
    const scope = join(folder, "node_modules/@hardhat-identity");
    mkdirSync(scope, { recursive: true });
    for (const room of rooms) {
      cpSync(join(root, room), join(folder, room), { recursive: true });
      symlinkSync(join(folder, room), join(scope, basename(room)));
    }
    const config = {
      extends: "../../tsconfig.json",
      include: rooms,
      exclude: ["page", "shared"].map((folder) => `packages/verify-page/${folder}`),
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    return folder;
  }

  function change(folder: string, file: string, from: string | RegExp, to: string): void {
    const before = readFileSync(join(folder, file), "utf8");
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${file} has no ${from}.`);
    writeFileSync(join(folder, file), after);
  }
});
