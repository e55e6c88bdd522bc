import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { parse } from "yaml";
import { knownVariables } from "../../packages/operator/settings.ts";
import { settings } from "../../signer/settings.ts";
import { onCleanup } from "../fixtures/cleanup.ts";
import { read, readAlerts, readManifests, readUnit } from "../fixtures/deploy/deployFiles.ts";
import { findFreePort } from "../fixtures/freePort.ts";
import { startProcess } from "../fixtures/process.ts";

const container = read("deploy/container/Dockerfile");

describe("The deployment files", () => {
  it("name only settings that the service has", () => {
    for (const file of [
      "container/Dockerfile",
      "kubernetes/identity-signer.yaml",
      "systemd/identity-signer.service",
      "systemd/environment",
      "systemd/replicas.conf",
    ]) {
      const named = [...read(`deploy/${file}`).matchAll(/IDENTITY_\w+/g)].map(([name]) => name);
      expect(knownVariables, file).to.include.members(named);
    }
  });

  it("name the chain, which is the service's default until you change it", () => {
    const chainId = String(settings.IDENTITY_CHAIN_ID.parse(undefined));
    expect(readManifests().config.data.IDENTITY_CHAIN_ID).to.equal(chainId);
    expect(read("deploy/systemd/environment").split("\n")).to.include(`IDENTITY_CHAIN_ID=${chainId}`);
  });

  it("build on the Node and the release that are tested", () => {
    const { version, devDependencies } = JSON.parse(read("package.json"));
    const bases = [...container.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).to.deep.equal(new Set([`docker.io/library/node:${devDependencies.node}-slim`]));
    expect(container.split("\n")).to.include(`ARG VERSION=${version}`);
    expect(readManifests().container.image).to.equal(`identity-signer:${version}`);
  });

  it("ask a container whether it is alive, and take no answer and a bad one for no", async () => {
    const [, asked = "[]"] = /^ {2}CMD (\[.*\])$/m.exec(container) ?? [];
    const [program, ...args] = JSON.parse(asked) as string[];
    expect(program).to.equal("node");
    const [, imageHost] = /^ENV .*IDENTITY_HOST=(\S+)/m.exec(container) ?? [];
    const isAlive = async (answers: (path: string) => number, more: NodeJS.ProcessEnv = {}) => {
      const host = more.IDENTITY_HOST ?? imageHost;
      const server = createServer(({ url: path = "" }, response) =>
        response.writeHead(answers(path)).end("ok"),
      );
      onCleanup(() => server.close());
      await once(server.listen(0, host), "listening");
      const { port } = server.address() as AddressInfo;
      const env = { ...process.env, IDENTITY_HOST: host, ...more, IDENTITY_PORT: String(port) };
      const child = startProcess(process.execPath, args, { env });
      return (await child.waitForEnd()) === 0;
    };
    expect(await isAlive((path) => (path === "/healthz" ? 200 : 503))).to.equal(true);
    expect(await isAlive((path) => (path === "/healthz" ? 503 : 200))).to.equal(false);
    for (const host of ["127.0.0.1", "127.0.0.2"])
      expect(await isAlive(() => 200, { IDENTITY_HOST: host }), host).to.equal(true);
    const nowhere = await findFreePort();
    // A list of exceptions in lower case would win over one that the image sets.
    const proxies = {
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: `http://127.0.0.1:${nowhere}`,
      no_proxy: "node.internal",
    };
    expect(await isAlive(() => 200, proxies)).to.equal(true);
    const env = { ...process.env, IDENTITY_HOST: imageHost, IDENTITY_PORT: String(nowhere) };
    expect(await startProcess(process.execPath, args, { env }).waitForEnd()).to.equal(1);
    const seconds = (name: string) => Number(new RegExp(`--${name}=(\\d+)s`).exec(container)?.[1]);
    expect(["interval", "timeout", "start-period"].map(seconds)).to.deep.equal([10, 5, 20]);
  });

  it("run the program of the package with the same memory, as no root, in the container and by systemd", () => {
    const { bin } = JSON.parse(read("packages/operator/package.json"));
    const [, started = "[]"] = /^ENTRYPOINT (\[.*\])$/m.exec(container) ?? [];
    const { all } = readUnit();
    const [ofContainer, ofUnit] = [JSON.parse(started) as string[], (all("ExecStart")[0] ?? "").split(" ")];
    const program = `node_modules/identity-signer/${bin["identity-signer"].replace(/^\.\//, "").replace(/ts$/, "js")}`;
    expect(ofContainer.at(-1)).to.equal(`/app/${program}`);
    expect(ofUnit.at(-1)).to.equal(`/opt/identity-signer/${program}`);
    const flags = ["--max-semi-space-size=16", "--max-old-space-size=128"];
    expect([ofContainer.slice(1, -1), ofUnit.slice(1, -1)]).to.deep.equal([flags, flags]);
    expect(all("Environment")).to.include.members(["NODE_ENV=production", "MALLOC_ARENA_MAX=1"]);
    const { container: ofPod, pod } = readManifests();
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect(container).to.match(new RegExp(`^USER ${runAsUser}:${runAsGroup}$`, "m"));
    const [, set = ""] = /^ENV (NODE_ENV=.*)$/m.exec(container) ?? [];
    const port = ofPod.ports.find(({ name }) => name === "http")?.containerPort;
    expect(set.split(" ")).to.have.members([
      "NODE_ENV=production",
      "IDENTITY_HOST=0.0.0.0",
      `IDENTITY_PORT=${port}`,
      "MALLOC_ARENA_MAX=1",
    ]);
    expect(container).to.match(new RegExp(`^EXPOSE ${port}$`, "m"));
    // Under 200 MB, and room for a peak.
    const { requests, limits } = ofPod.resources;
    expect([requests, limits]).to.deep.equal([{ cpu: "500m", memory: "256Mi" }, { memory: "512Mi" }]);
  });

  it("have Prometheus ask each replica at its metrics port, by the alerts' job, for long enough", () => {
    const text = read("deploy/prometheus/prometheus.yaml");
    const { global, scrape_configs, rule_files } = parse(text);
    expect(rule_files).to.deep.equal(["alerts.yaml"]);
    const [{ job_name, scrape_interval, scrape_timeout, static_configs, ...others }, ...jobs] =
      scrape_configs;
    expect([others, jobs]).to.deep.equal([{}, []]);
    const jobsOfAlerts = readAlerts().flatMap(({ expr }) =>
      [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job),
    );
    expect(new Set(jobsOfAlerts)).to.deep.equal(new Set([job_name, "identity-watch"]));
    // `/metrics` waits for the node for up to five seconds.
    const seconds = (duration: string) => Number.parseInt(duration, 10);
    expect([seconds(scrape_interval), seconds(scrape_timeout)]).to.deep.equal([10, 10]);
    // The job of the watch is a comment. Its page is there 30 seconds after the watch knows, with ten for its way.
    const [, ofWatch = ""] =
      /- job_name: identity-watch\n {2}# {3}scrape_interval: (\d+s)\n/.exec(text) ?? [];
    expect(seconds(ofWatch) + seconds(global.evaluation_interval)).to.be.at.most(20);
    const [port = ""] = readUnit()
      .all("Environment")
      .flatMap((one) => /^IDENTITY_METRICS_PORT=(\d+)$/.exec(one)?.[1] ?? []);
    const replicas = [...read("deploy/haproxy/haproxy.cfg").matchAll(/ (10\.[\d.]+):3000$/gm)];
    const hosts = [...new Set(replicas.map(([, host]) => host))];
    expect(static_configs).to.deep.equal([{ targets: hosts.map((host) => `${host}:${port}`) }]);
  });
});
