import { execFile } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { readManifests } from "../fixtures/deploy/deployFiles.ts";
import { root } from "../fixtures/tasks/hardhat.ts";
import { temporaryFolder } from "../fixtures/temporaryFolder.ts";

/** Where kubernetes-types, which is made of Kubernetes' own schemas, has the kinds of an API. */
const modules: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "networking.k8s.io/v1": "networking/v1",
};

const { manifests, pod, container } = readManifests();
const [deployment] = manifests.filter(({ kind }) => kind === "Deployment");
const labels = deployment.spec.template.metadata.labels;

describe("The Kubernetes manifest", () => {
  it("matches Kubernetes' own schemas, without unknown fields", async () => {
    const folder = await temporaryFolder();
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const lines = manifests.map(({ apiVersion, kind, ...rest }, i) => {
      const type = `import("kubernetes-types/${modules[apiVersion]}").${kind}`;
      return `export const manifest${i}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest })};`;
    });
    const misspelt = lines
      .find((line) => line.includes("readOnlyRootFilesystem"))
      ?.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem")
      .replace(/manifest\d+/, "misspelt");
    writeFileSync(join(folder, "manifests.ts"), [...lines, "// @ts-expect-error", misspelt].join("\n"));
    const compilerOptions = {
      noEmit: true,
      strict: true,
      types: [],
      module: "esnext",
      moduleResolution: "bundler",
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["manifests.ts"] }),
    );
    const tsc = join(root, "node_modules/.bin/tsc");
    await promisify(execFile)(tsc, ["-p", "."], { cwd: folder }).catch(({ stdout }) => expect.fail(stdout));
  }).timeout(120_000);

  it("gives the service no access to the machine but its network", () => {
    expect(pod.automountServiceAccountToken).to.equal(false);
    expect(pod.securityContext).to.include({ runAsNonRoot: true });
    expect(pod.securityContext.seccompProfile).to.deep.equal({ type: "RuntimeDefault" });
    expect(Reflect.get(container, "securityContext")).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.volumeMounts.every(({ readOnly }) => readOnly)).to.equal(true);
  });

  it("mounts secrets as files for the service's group, and contains none", () => {
    const [{ secret }] = pod.volumes;
    expect(secret.defaultMode).to.equal(0o440);
    expect(pod.securityContext.fsGroup).to.equal(pod.securityContext.runAsGroup);
    expect(manifests.map(({ kind }) => kind)).not.to.include("Secret");
    const [mount] = container.volumeMounts;
    const files = container.env.filter(({ name }) => name.endsWith("_FILE")).map(({ value }) => value);
    expect(files).to.have.length(3);
    const key = container.env.find(({ name }) => name === "IDENTITY_SIGNING_KEY")?.value;
    const [, keystore = "", password = ""] = /^keystore:(.+)\?password-file=(.+)$/.exec(key ?? "") ?? [];
    for (const file of [...files, keystore, password])
      expect(file.startsWith(`${mount?.mountPath}/`), file).to.equal(true);
  });

  it("selects its own pods everywhere, with ports that they have", () => {
    const selectors = manifests.flatMap(({ spec = {} }) =>
      [spec.selector?.matchLabels, spec.podSelector?.matchLabels, spec.selector].filter(
        (each) => each !== undefined && each.matchLabels === undefined,
      ),
    );
    expect(selectors).to.deep.equal(Array(4).fill(labels));
    const names = container.ports.map(({ name }) => name);
    const service = manifests.find(({ kind }) => kind === "Service");
    const policy = manifests.find(({ kind }) => kind === "NetworkPolicy");
    const used = [
      ...service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort),
      ...policy.spec.ingress.flatMap(({ ports }: { ports: { port: string }[] }) =>
        ports.map(({ port }) => port),
      ),
    ];
    expect(names).to.include.members(used);
  });
});
