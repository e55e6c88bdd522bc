import { spawnSync } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../packages/protocol/errors.ts";
import { readDatabaseLocation } from "../../../packages/store/database/databaseUrl.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { sharedPostgres, startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { skip } from "../../fixtures/skip.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const masterSecret = `0x${"5e".repeat(32)}`;
const open = (databaseUrl: string) =>
  rejection(openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 }));

const at = "postgres://user:hunter2@db.example/identity";
const local = "postgres://user:hunter2@localhost/x";

/** The required form of a URL → URLs of other forms. */
const refused: Record<string, readonly string[]> = {
  "file:<path of an SQLite file>, or postgresql://<user>:<password>@<host>/<database>": [
    "mysql://localhost/identity",
    "identity.sqlite",
    "file:",
    "file::memory:",
    "file://host/a",
    "FILE:a",
    "file:////a",
    "file:a.sqlite?mode=rw",
    "a-file:a",
    "a-postgres://localhost/x",
    "postgres:/x",
    "postgres-x://localhost/x",
    "",
  ],
  // As a file of settings with Windows' line ends has it.
  "without white space at its ends, and without line ends": [
    "file:/data/identity.sqlite\r",
    "file:/data/identity.sqlite ",
    "file: identity.sqlite",
    "file:/data/identity\n.sqlite",
  ],
  // An unencoded special character in a password breaks the URL's parts.
  "postgresql://<user>:<password>@<host>/<database>, with one host, and with %-encoding for special characters of the password":
    [
      "postgres://user:hunter2/x@db.example/identity",
      "postgres://user:12/hunter2@db.example",
      "postgres://user:hunter2#x@db.example/identity",
      "postgres://user:12/x?hunter2@localhost/x",
      "postgres://user:hunter2@localhost",
      "postgres://user:hunter2@localhost/",
      `${local}/hunter2`,
      "postgres://user:hunter2@a.example:5432,b.example:5432/x?sslmode=verify-full",
      `${local}#hunter2@`,
      "postgres://user:hunter2@/x",
    ],
  "a URL with one host, or with the folder of a Unix socket, such as ?host=/var/run/postgresql": [
    "postgres://user:hunter2@a.example,b.example/x?sslmode=verify-full",
    "postgres:///x",
  ],
  "a URL with one sslmode": [`${local}?sslmode=verify-full&sslmode=disable`],
  "a URL whose sslmode says whether TLS is used: sslmode=verify-full, or sslmode=disable": [
    at,
    `${local}?host=db.example`,
    `${local}?sslrootcert=/ca.pem`,
    `${local}?sslcert=/cert.pem`,
    `${local}?sslkey=/key.pem`,
    `${local}?sslnegotiation=postgres`,
  ],
  "a URL without sslnegotiation=direct, or with an sslmode that uses TLS": [
    `${local}?sslmode=disable&sslnegotiation=direct`,
  ],
  "a URL with an sslrootcert, which sslmode=verify-ca needs": [`${at}?sslmode=verify-ca`],
  // A setting of libpq that protects is honoured, or refused by its name; pg would drop these in silence.
  ...Object.fromEntries(
    [
      ...["require", "disabled", "no-disable"].map(
        (each) => `channel_binding=${each}; sslmode=verify-full protects as well`,
      ),
      "sslrootcert=system; without it, Node's own list of authorities counts",
      ...["prefer", "no-verify", "no-disable", "verify-fulls"].map(
        (mode) => `sslmode=${mode}; sslmode must be one of disable, require, verify-ca, verify-full`,
      ),
      "host=",
      "host=a,b",
      "port=5x",
      "port=x5",
      "user=",
      "application_name=",
      "options=",
      "sslcert=",
      "sslkey=",
      "sslnegotiation=directs",
      "sslnegotiation=no-postgres",
      "gssencmode=disabled",
      "gssencmode=no-disable",
      "uselibpqcompat=trues",
      "uselibpqcompat=no-true",
      "target_session_attrs=any",
      "target_session_attrs=primary-2",
      "target_session_attrs=no-read-write",
    ].map((given) => {
      const [shown = "", ...advice] = given.split("; ");
      const wanted = [`a URL without ${shown}, which the service does not support`, ...advice].join("; ");
      return [wanted, [`${at}?${shown.startsWith("sslmode") ? "" : "sslmode=verify-full&"}${shown}`]];
    }),
  ),
  ...Object.fromEntries(
    [
      "password",
      "hostaddr",
      "require_auth",
      "ssl",
      "sslcrl",
      "sslpassword",
      "ssl_min_protocol_version",
      "requirepeer",
      "passfile",
      "service",
      "query_timeout",
      "connect_timeout",
      "pgbouncer",
    ].map((name) => [
      `a URL without ${name}, which the service does not support`,
      [`${at}?sslmode=verify-full&${name}=${name === "password" ? "" : "hunter2"}`],
    ]),
  ),
};

describe("A URL of a store", () => {
  for (const [wanted, urls] of Object.entries(refused)) {
    it(`is refused before any connection, and is not shown: ${wanted}`, async () => {
      for (const databaseUrl of urls) {
        const error = await open(databaseUrl);
        expect(error, databaseUrl).to.be.instanceOf(InvalidInputError);
        expect(error.message, databaseUrl).to.equal(`IDENTITY_DATABASE_URL must be ${wanted}.`);
      }
    });
  }

  it("names a file, or a database on this machine or over TLS", () => {
    for (const [databaseUrl, path] of [
      ["file:a.sqlite", "a.sqlite"],
      ["file:/a/b", "/a/b"],
      ["file:///a:/b", "/a:/b"],
      ["file:a//b", "a//b"],
    ] as const)
      expect(readDatabaseLocation(databaseUrl)).to.deep.equal({ engine: "sqlite", path });
    for (const url of [
      "PostgreSQL://localhost/x",
      "postgres://[::1]/x",
      local,
      `${local}?port=5432&application_name=a`,
      ...["disable", "require", "verify-full"].map((mode) => `${at}?sslmode=${mode}`),
      ...["direct", "postgres"].map((each) => `${at}?sslmode=require&sslnegotiation=${each}`),
      `${at}?sslmode=verify-ca&sslrootcert=/system`,
      `${at}?sslmode=verify-full&sslrootcert=systems&sslcert=c&sslkey=k&password=p&options=o`,
      `${local}?target_session_attrs=primary&uselibpqcompat=true`,
      "postgres:///x?host=/run",
      "postgres://user@/x?host=/run",
      `postgres://${encodeURIComponent("/run/a")}/x`,
    ])
      expect(readDatabaseLocation(url)).to.deep.equal({ engine: "postgres", url });
  });
});

describe("A PostgreSQL URL of a store", () => {
  it("names no certificate that others can change, and no key that others can read", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "file.pem");
    const own = join(folder, "own.pem");
    for (const path of [file, own]) await writeFile(path, "none", { mode: 0o600 });
    const say = async (name: string, mode: number) => {
      await chmod(file, mode);
      const query = new URLSearchParams({
        sslmode: "verify-full",
        sslrootcert: own,
        sslcert: own,
        sslkey: own,
      });
      query.set(name, file);
      return (await open(`${local}?${query}`)).message;
    };
    for (const name of ["sslrootcert", "sslcert"]) {
      expect(await say(name, 0o666)).to.equal(
        `IDENTITY_DATABASE_URL names as ${name} a file that other users can change (mode 0666); set its mode to 0644.`,
      );
      expect(await say(name, 0o644)).not.to.include(` as ${name} `);
    }
    expect(await say("sslkey", 0o644)).to.equal(
      "IDENTITY_DATABASE_URL names as sslkey a file that other users can read or change (mode 0644); set its mode to 0600 or 0400.",
    );
    expect(await say("sslkey", 0o600)).not.to.include(" as sslkey ");
  });

  it("reports what is wrong with the database without the server's words, which may quote the URL", async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase());
    const at = (
      changes: { pathname?: string; username?: string },
      parameters: Record<string, string> = {},
    ) => {
      const changed = Object.assign(new URL(url), { password: "hunter2", ...changes });
      for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
      return changed.href;
    };
    const failures = {
      [at({ pathname: "/hunter2" })]: "no database of that name (3D000)",
      [at({ username: "hunter2" })]: "refuses the user or the password (28000)",
      [at({}, { host: "/hunter2" })]: "cannot be reached (ENOENT)",
      [at({}, { sslmode: "verify-full" })]: "it offers no TLS, and sslmode in the URL wants it (SSL)",
      [at({}, { sslmode: "verify-ca", sslrootcert: "/hunter2" })]:
        "sslrootcert, sslcert, sslkey) cannot be used (ENOENT)",
    };
    for (const [databaseUrl, words] of Object.entries(failures)) {
      const error = await open(databaseUrl);
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include("IDENTITY_DATABASE_URL").and.include(words);
      expect(`${error.stack}${JSON.stringify(error.cause)}`).not.to.include("hunter2");
    }
  });

  it("names a Unix socket in each form that libpq's have", async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase());
    const [folder = "", database] = [url.searchParams.get("host") ?? "", url.pathname];
    for (const databaseUrl of [
      `postgresql://identity:p@${database}?host=${folder}`,
      `postgresql://identity@${database}?host=${folder}&port=5432`,
      `postgresql://${database}?host=${encodeURIComponent(folder)}&user=identity`,
      `postgresql://identity@${encodeURIComponent(folder)}${database}`,
      `postgresql://identity@localhost${database}?host=${folder}&channel_binding=disable&gssencmode=disable&target_session_attrs=read-write`,
    ]) {
      await (await openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 })).close();
    }
  });

  it("chooses by sslmode what is checked of the server's certificate", async function () {
    const folder = await temporaryFolder();
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const made = spawnSync("openssl", [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=localhost",
      "-addext",
      "subjectAltName=DNS:localhost",
      "-keyout",
      keyFile,
      "-out",
      certFile,
    ]);
    if (made.status !== 0)
      skip(this, "there is no openssl to make a certificate with", "apt-get install openssl");
    const [cert, key] = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
    const databaseUrl = await (await startPostgres({ cert, key })).createDatabase();
    const outcome = async (host: string, parameters: Record<string, string>) => {
      const url = Object.assign(new URL(databaseUrl), { hostname: host });
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      const [opened] = await Promise.allSettled([
        openCredentialStore({ databaseUrl: url.href, masterSecret, chainId: 84532 }),
      ]);
      if (opened.status === "rejected") return opened.reason.message;
      const [{ ssl } = { ssl: undefined }] = await withClient(databaseUrl, async (client) => {
        const { rows } = await client.query<{ ssl: boolean }>(
          "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'identity-signer'",
        );
        return rows;
      });
      await opened.value.close();
      return ssl;
    };
    const sslrootcert = certFile;
    expect(await outcome("127.0.0.1", { sslmode: "disable" })).to.equal(false);
    expect(await outcome("127.0.0.1", { sslmode: "require" })).to.equal(true);
    expect(await outcome("127.0.0.1", { sslmode: "verify-ca", sslrootcert })).to.equal(true);
    expect(await outcome("localhost", { sslmode: "verify-full", sslrootcert })).to.equal(true);
    expect(await outcome("127.0.0.1", { sslmode: "verify-full", sslrootcert })).to.include(
      "TLS with it fails",
    );
    expect(await outcome("localhost", { sslmode: "verify-full" })).to.include("TLS with it fails");
  });
});
