import { basename } from "node:path";
import { expect } from "chai";
import { endsWithin, readManifests } from "../fixtures/deploy/deployFiles.ts";

const { manifests, pod, container, config } = readManifests();
const [deployment] = manifests.filter(({ kind }) => kind === "Deployment");
const labels = deployment.spec.template.metadata.labels;

describe("The Kubernetes manifest", () => {
  it("gives the service no access to the machine but its network", () => {
    expect(pod.automountServiceAccountToken).to.equal(false);
    // Kubernetes would add variables of its own, some with the service's prefix.
    expect(pod.enableServiceLinks).to.equal(false);
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
    const files = container.env.flatMap(({ name, value }) => {
      const [, secret] = /^IDENTITY_(\w+)_FILE$/.exec(name) ?? [];
      if (secret === undefined) return [];
      expect(basename(value)).to.equal(secret.toLowerCase().replaceAll("_", "-"));
      return [value];
    });
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

  it("restarts a replica only if it hangs, and sends it no requests while it is not ready", () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(paths).to.deep.equal([
      { path: "/healthz", port: "http" },
      { path: "/healthz", port: "http" },
      { path: "/readyz", port: "http" },
    ]);
    const patience = ({ periodSeconds, failureThreshold }: typeof startupProbe) =>
      periodSeconds * failureThreshold;
    // A start migrates the store; a hang is not a busy moment; and a proxy asks another replica meanwhile.
    expect([startupProbe, livenessProbe, readinessProbe].map(patience)).to.deep.equal([60, 30, 10]);
    // `/readyz` may take that long, if the node is slow.
    expect(readinessProbe.timeoutSeconds).to.be.at.least(5);
    expect(livenessProbe.timeoutSeconds).to.be.at.least(5);
    expect(pod.terminationGracePeriodSeconds).to.be.above(endsWithin);
  });

  it("keeps one ready replica while a machine is drained, and lets replicas go that are not ready", () => {
    const { spec } = manifests.find(({ kind }) => kind === "PodDisruptionBudget");
    expect(spec).to.include({ minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" });
    expect(deployment.spec.replicas).to.be.above(spec.minAvailable);
  });

  it("lets the ingress reach the service alone, and Prometheus the metrics alone", () => {
    const { spec } = manifests.find(({ kind }) => kind === "NetworkPolicy");
    expect(spec.policyTypes).to.deep.equal(["Ingress"]);
    const from = (name: string) => [
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } },
    ];
    expect(spec.ingress).to.deep.equal([
      { from: from("ingress"), ports: [{ port: "http" }] },
      { from: from("monitoring"), ports: [{ port: "metrics" }] },
    ]);
    const settingOf = (setting: string) => container.env.find(({ name }) => name === setting)?.value;
    expect(settingOf("IDENTITY_METRICS_HOST")).to.equal("0.0.0.0");
    const port = Number(settingOf("IDENTITY_METRICS_PORT"));
    expect(container.ports).to.deep.equal([
      { name: "http", containerPort: 3000 },
      { name: "metrics", containerPort: port },
    ]);
    // By address: a number of proxies would trust any client that reaches the pod.
    expect(config.data.IDENTITY_TRUST_PROXY).to.match(/^[\d.]+\/\d+$/);
    const service = manifests.find(({ kind }) => kind === "Service");
    expect(service.spec.ports).to.deep.equal([{ name: "http", port: 80, targetPort: "http" }]);
  });
});
