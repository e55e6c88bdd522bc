import { expect } from "chai";
import { secretSettings, settings } from "../../signer/internal/config/settings.ts";
import { read } from "../fixtures/deploy/deployFiles.ts";
import { readSnippets } from "../fixtures/markdown.ts";

const container = read("deploy/container/Dockerfile");

describe("The deployment files", () => {
  it("name only settings that the service has", () => {
    const known = [...Object.keys(settings), ...secretSettings.map((name) => `${name}_FILE`)];
    for (const file of [
      "container/Dockerfile",
      "kubernetes/identity-signer.yaml",
      "systemd/identity-signer.service",
      "systemd/environment",
      "systemd/replicas.conf",
    ]) {
      const named = [...read(`deploy/${file}`).matchAll(/IDENTITY_\w+/g)].map(([name]) => name);
      expect(known, file).to.include.members(named);
    }
  });

  it("build on the Node and the release that are tested", () => {
    const { version, devDependencies } = JSON.parse(read("package.json"));
    const bases = [...container.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).to.deep.equal(new Set([`docker.io/library/node:${devDependencies.node}-slim`]));
    expect(container.split("\n")).to.include(`ARG VERSION=${version}`);
  });

  it("install what the guide's commands install", () => {
    const commands = readSnippets("docs/deployment.md").map(({ text }) => text);
    const [named = ""] = commands.flatMap((text) => /^npm install (.+)$/m.exec(text)?.[1] ?? []);
    const [, run = ""] = /^RUN (.+)$/m.exec(container) ?? [];
    const words = run.replaceAll(/"|@\$\{\w+\}/g, "").split(" ");
    expect(named).not.to.equal("");
    expect(words).to.include.members(named.split(" "));
  });
});
