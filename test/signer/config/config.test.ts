import { expect } from "chai";
import { knownVariables, loadConfigs } from "../../../packages/operator/settings.ts";
import { readWatchSettings } from "../../../packages/operator/watch/settings.ts";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { fieldName } from "../../../signer/internal/config/readSettings.ts";
import { findUnknownVariables } from "../../../signer/settings.ts";

const registry = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const required = { IDENTITY_RPC_URL: "http://127.0.0.1:8545", IDENTITY_REGISTRY: registry };
const secret = `0x${"5e".repeat(32)}`;
const notValid = "The signer's configuration is not valid:";

/** The service's configuration, and its page's. */
function loadConfig(env: Record<string, string>) {
  const { service, page } = loadConfigs(env);
  return { ...service, ...page };
}

function problemsOf(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.message;
    throw error;
  }
  throw new Error(`Accepted: ${JSON.stringify(env)}`);
}

describe("The signer's configuration", () => {
  it("reports unknown IDENTITY_ variables, except those that Kubernetes sets", () => {
    const known = {
      ...required,
      IDENTITY_MASTER_SECRET_FILE: "/run/secrets/master",
      IDENTITY_NEXT_SIGNING_KEY_FILE: "/run/secrets/next",
      IDENTITY_MICROBLOG_CLIENT_ID: "app",
      IDENTITY_MICROBLOG_CLIENT_SECRET_FILE: "/run/secrets/microblog",
    };
    const ofKubernetes = {
      IDENTITY_SIGNER_SERVICE_HOST: "10.0.0.7",
      IDENTITY_SIGNER_SERVICE_PORT: "80",
      IDENTITY_SIGNER_PORT_80_TCP: "tcp://10.0.0.7:80",
      MY_IDENTITY_SERVICE_HOST: "10.0.0.8",
      IDENTITY_RATE_SERVICE_HOSTS: "10.0.0.9",
    };
    const misspelt = { IDENTITY_RATE_LIMITS: "10", IDENTITY_TRUST_PROXIES: "1", IDENTITY_KEY: "" };
    const env = { ...known, ...ofKubernetes, ...misspelt, HOME: "/" };
    expect(findUnknownVariables(env, knownVariables)).to.deep.equal([
      "IDENTITY_RATE_SERVICE_HOSTS",
      "IDENTITY_RATE_LIMITS",
      "IDENTITY_TRUST_PROXIES",
    ]);
  });

  it("requires a node and a registry, and has defaults for the rest", () => {
    expect(loadConfig(required)).to.deep.equal({
      host: "127.0.0.1",
      port: 3000,
      metricsPort: undefined,
      metricsHost: "127.0.0.1",
      rpcUrl: "http://127.0.0.1:8545",
      chainId: 84532,
      registry,
      databaseUrl: "file:identity.sqlite",
      masterSecret: undefined,
      encryptionSecret: undefined,
      signingKey: undefined,
      nextSigningKey: undefined,
      connectors: undefined,
      verificationLifetime: 300,
      credentialMaxAge: 0,
      publicUrl: undefined,
      verifyUrl: undefined,
      brand: undefined,
      redirectOrigins: [],
      otherRedirects: "ask",
      providers: {},
      auditRetention: 400,
      logLevel: "info",
      rateLimit: 600,
      walletRateLimit: 30,
      trustProxy: 0,
    });
  });

  it("reads every variable, each number up to its bound", () => {
    const key = { kind: "private-key", privateKey: secret };
    /** Each setting's text, and its parsed value if different. */
    const texts: Record<string, readonly [text: string, value?: unknown]> = {
      IDENTITY_HOST: ["::1"],
      IDENTITY_PORT: ["65535", 65_535],
      IDENTITY_METRICS_PORT: ["0", 0],
      IDENTITY_METRICS_HOST: ["10.0.0.11"],
      IDENTITY_RPC_URL: ["https://node.example/key/"],
      IDENTITY_CHAIN_ID: [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
      IDENTITY_REGISTRY: [registry.toLowerCase(), registry],
      IDENTITY_DATABASE_URL: ["file:/var/lib/identity.sqlite"],
      IDENTITY_MASTER_SECRET: [secret],
      IDENTITY_ENCRYPTION_SECRET: [`0x${"5f".repeat(32)}`],
      IDENTITY_SIGNING_KEY: [
        "keystore:/run/key.json?password-file=/run/password",
        { kind: "keystore", file: "/run/key.json", passwordFile: "/run/password" },
      ],
      IDENTITY_NEXT_SIGNING_KEY: [secret, key],
      IDENTITY_VERIFICATION_LIFETIME: ["3600", 3600],
      IDENTITY_CREDENTIAL_MAX_AGE: ["36500", 36_500],
      IDENTITY_PUBLIC_URL: ["https://identity.example/", "https://identity.example"],
      IDENTITY_VERIFY_URL: ["https://verify.example/start"],
      IDENTITY_BRAND: ["", undefined],
      IDENTITY_REDIRECT_ORIGINS: [
        "https://app.example, https://other.example:8443= The Drop = Yours ,http://localhost:5173",
        [
          { origin: "https://app.example" },
          { origin: "https://other.example:8443", name: "The Drop = Yours" },
          { origin: "http://localhost:5173" },
        ],
      ],
      IDENTITY_OTHER_REDIRECTS: ["refuse"],
      IDENTITY_CONNECTORS: ["./connectors.js"],
      IDENTITY_AUDIT_RETENTION: ["36500", 36_500],
      IDENTITY_LOG_LEVEL: ["warn"],
      IDENTITY_RATE_LIMIT: ["1000000", 1_000_000],
      IDENTITY_WALLET_RATE_LIMIT: ["1000000", 1_000_000],
      IDENTITY_TRUST_PROXY: ["loopback, 10.0.0.0/8,fd00::/8", ["loopback", "10.0.0.0/8", "fd00::/8"]],
    };
    const given = Object.entries(texts).map(([name, [text]]) => [name, text]);
    const values = Object.entries(texts).map(([name, [text, ...value]]) => [
      fieldName(name),
      value.length === 0 ? text : value[0],
    ]);
    const client = { IDENTITY_MICROBLOG_CLIENT_ID: "m", IDENTITY_MICROBLOG_CLIENT_SECRET: secret };
    expect(loadConfig({ ...client, ...Object.fromEntries(given) })).to.deep.equal({
      ...Object.fromEntries(values),
      providers: {
        microblog: { clientId: "m", clientSecret: secret, baseUrl: undefined, label: undefined },
      },
    });
    const ofWatch = {
      IDENTITY_GUARDIAN_KEY: secret,
      IDENTITY_WATCH_WEBHOOK: "https://hooks.example/secret",
    };
    expect(readWatchSettings({ ...required, ...ofWatch })).to.include({
      watchWebhook: "https://hooks.example/secret",
      metricsHost: "127.0.0.1",
      registry,
    });
    expect(readWatchSettings({ ...required, ...ofWatch }).guardianKey).to.deep.equal(key);
    const zeros = ["IDENTITY_PORT", "IDENTITY_RATE_LIMIT", "IDENTITY_AUDIT_RETENTION"].map((name) => [
      name,
      "0",
    ]);
    expect(loadConfig({ ...required, ...Object.fromEntries(zeros) })).to.include({
      port: 0,
      rateLimit: 0,
      auditRetention: 0,
    });
    expect(
      loadConfig({ ...required, IDENTITY_VERIFICATION_LIFETIME: "60", IDENTITY_CHAIN_ID: "1" }),
    ).to.include({
      verificationLifetime: 60,
      chainId: 1,
    });
    expect(loadConfig({ ...required, IDENTITY_TRUST_PROXY: "16" }).trustProxy).to.equal(16);
  });

  it("refuses an encryption secret that equals another secret", () => {
    const message = problemsOf({
      ...required,
      IDENTITY_MASTER_SECRET: secret,
      IDENTITY_ENCRYPTION_SECRET: secret.toUpperCase().replace("X", "x"),
    });
    expect(message).to.equal(`${notValid}
- IDENTITY_ENCRYPTION_SECRET is the same secret as IDENTITY_MASTER_SECRET; it must be another one.`);
  });

  it("names every bad variable at once, with what it got and what it wants", () => {
    const message = problemsOf({
      IDENTITY_RPC_URL: "ws://127.0.0.1:8545",
      IDENTITY_PORT: "80000",
      IDENTITY_VERIFICATION_LIFETIME: "59",
    });
    expect(message).to.equal(`${notValid}
- IDENTITY_RPC_URL must be the http(s) URL of a node, without user name and password, not what it holds (not shown).
- IDENTITY_REGISTRY is not set. It is required: Address of the deployed SignerRegistry.
- IDENTITY_PORT must be a whole number from 0 to 65535, not "80000".
- IDENTITY_VERIFICATION_LIFETIME must be a whole number from 60 to 3600, not "59".`);
  });

  const url = (what: string) => `the http(s) URL ${what}`;
  const number = (from: number, to: number) => `a whole number from ${from} to ${to}`;
  const databaseUrl = "file:<path of an SQLite file>, or postgresql://<user>:<password>@<host>/<database>";
  const levels = "one of trace, debug, info, warn, error, fatal, silent";
  const bad: [string, string, ...string[]][] = [
    [
      "IDENTITY_RPC_URL",
      url("of a node, without user name and password"),
      ...["user", "user:hunter2", ":hunter2"].map((user) => `https://${user}@node.example`),
    ],
    ["IDENTITY_HOST", "a host name or an IP address", "a b", "http://localhost", "localhost:3000", "::1 "],
    ["IDENTITY_METRICS_HOST", "a host name or an IP address", "x::1"],
    ...["IDENTITY_MASTER_SECRET", "IDENTITY_ENCRYPTION_SECRET"].map((name): [string, string, ...string[]] => [
      name,
      "0x and 64 hex digits (32 bytes)",
      "0x-hunter2",
      secret.slice(2),
      secret.slice(0, -1),
      `${secret}0`,
    ]),
    ["IDENTITY_DATABASE_URL", databaseUrl, "postgres:", "hunter2", "file:"],
    ["IDENTITY_PORT", number(0, 65_535), "-1", "3000.5", "0x10", "three", " 3000", "3000 "],
    ["IDENTITY_METRICS_PORT", number(0, 65_535), "65536"],
    [
      "IDENTITY_CHAIN_ID",
      number(1, Number.MAX_SAFE_INTEGER),
      "0",
      "0x14a34",
      "9007199254740992",
      "00000000000000001",
    ],
    [
      "IDENTITY_REGISTRY",
      "the registry's address: 0x and 40 hex digits with a right checksum",
      "0x12",
      registry.replace("F", "f"),
      registry.slice(2),
      `${registry}00`,
    ],
    ["IDENTITY_AUDIT_RETENTION", number(0, 36_500), "36501"],
    ["IDENTITY_VERIFICATION_LIFETIME", number(60, 3_600), "3601", "5m"],
    ["IDENTITY_CREDENTIAL_MAX_AGE", number(0, 36_500), "-1", "36501"],
    [
      "IDENTITY_PUBLIC_URL",
      url("where clients reach the service, without a query"),
      "identity.example",
      "ftp://identity.example",
      "https://identity.example/#top",
      "https://identity.example/#",
      "https://identity.example/?lang=en",
      "https://identity.example?",
    ],
    [
      "IDENTITY_VERIFY_URL",
      url("of the page where a user proves an account"),
      "/verify",
      "javascript:alert(1)",
      "https://verify.example/#",
    ],
    [
      "IDENTITY_REDIRECT_ORIGINS",
      "origins such as https://app.example, separated by commas (http on loopback only), each with up to 40 characters of a name: https://app.example=Name",
      "app.example",
      "https://app.example/",
      "http://app.example",
      "*",
      "https://*.x.example",
      "https://app.example=",
      `https://app.example=${"x".repeat(41)}`,
      "https://app.example=a\u202eb",
      "ftp://app.example",
      "https://app.example=\ud800",
      "https://app.example,",
    ],
    ["IDENTITY_OTHER_REDIRECTS", "one of ask, refuse", "Ask"],
    ["IDENTITY_LOG_LEVEL", levels, "INFO", "verbose"],
    ["IDENTITY_RATE_LIMIT", number(0, 1_000_000), "many", "-5", "1000001"],
    ["IDENTITY_WALLET_RATE_LIMIT", number(0, 1_000_000), "some", "1.5"],
    [
      "IDENTITY_TRUST_PROXY",
      "the number of proxies in front (at most 16), or their addresses or subnets, separated by commas",
      "true",
      "17",
      "016",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "proxy.example",
      "loopback,",
      "::1/129",
      "10.0.0.0/-1",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.0/1e1",
      "10.0.0.0/ 8",
    ],
  ];
  for (const [name, wanted, ...values] of bad) {
    it(`refuses a bad ${name}`, () => {
      for (const value of values) {
        const got = knownVariables.includes(`${name}_FILE`)
          ? "what it holds (not shown)"
          : JSON.stringify(value);
        expect(problemsOf({ ...required, [name]: value })).to.equal(
          `${notValid}\n- ${name} must be ${wanted}, not ${got}.`,
        );
      }
    });
  }

  it("uses a URL as it is, with its slashes and its query", () => {
    for (const url of [
      "https://node.example",
      "https://node.example/",
      "https://node.example/key//",
      "https://node.example/verify/start",
      "https://node.example/?key=ends/with/",
    ]) {
      const given = { IDENTITY_RPC_URL: url, IDENTITY_VERIFY_URL: url };
      const { rpcUrl, verifyUrl } = loadConfig({ ...required, ...given });
      expect([rpcUrl, verifyUrl]).to.deep.equal([url, url]);
    }
  });

  it("joins paths to its public URL and its own page's without a double slash", () => {
    for (const slashes of ["", "/", "//"]) {
      for (const mark of ["", "?"]) {
        const IDENTITY_PUBLIC_URL = `https://identity.example/path${slashes}`;
        const IDENTITY_VERIFY_URL = `https://identity.example/verify${slashes}${mark}`;
        const { publicUrl, verifyUrl } = loadConfig({
          ...required,
          IDENTITY_PUBLIC_URL,
          IDENTITY_VERIFY_URL,
        });
        const expected = ["https://identity.example/path", "https://identity.example/verify"];
        expect([publicUrl, verifyUrl], IDENTITY_VERIFY_URL).to.deep.equal(expected);
      }
    }
  });

  it("never shows a secret", () => {
    const secrets = {
      IDENTITY_MASTER_SECRET: "0x-hunter2",
      IDENTITY_SIGNING_KEY: "hunter2",
      IDENTITY_NEXT_SIGNING_KEY: "hunter2",
      IDENTITY_RPC_URL: "https://user:hunter2@node.example",
      IDENTITY_DATABASE_URL: "postgres://user:hunter2@db.example/identity",
    };
    const message = problemsOf({ ...required, ...secrets });
    expect(message).not.to.include("hunter2");
    for (const name of Object.keys(secrets)) expect(message).to.include(`- ${name} `);
  });
});
