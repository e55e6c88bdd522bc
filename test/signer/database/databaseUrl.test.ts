import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { InvalidInputError } from "../../../protocol/errors.ts";
import { openCredentialStore } from "../../../signer/index.ts";
import { rejection } from "../../fixtures/rejection.ts";
import { sharedPostgres, startPostgres, withClient } from "../../fixtures/signer/postgres.ts";
import { skip } from "../../fixtures/skip.ts";
import { temporaryFolder } from "../../fixtures/temporaryFolder.ts";

const masterSecret = `0x${"5e".repeat(32)}`;
const open = (databaseUrl: string) =>
  rejection(openCredentialStore({ databaseUrl, masterSecret, chainId: 84532 }));

describe("A PostgreSQL URL of a store", () => {
  it("is refused before any connection if it is contradictory, and is not shown", async () => {
    const refused: Record<string, string> = {
      "postgres://user:hunter2@db.example/identity": "sslmode=verify-full, or sslmode=disable",
      "postgres://user:hunter2@db.example/identity?sslmode=prefer":
        "disable, require, verify-ca, verify-full",
      // What is special in a password ends the host's name, unless it is encoded.
      "postgres://user:hunter2/x@db.example/identity": "%-encoding",
      "postgres://user:12/hunter2@db.example": "%-encoding",
      "postgres://user:hunter2#x@db.example/identity": "%-encoding",
      "postgres://user:hunter2@localhost": "<database>",
      "postgres://user:12/x?hunter2@localhost/x": "%-encoding",
      "postgres://user:hunter2@a.example:5432,b.example:5432/x?sslmode=verify-full": "one host",
      "postgres://user:hunter2@a.example,b.example/x?sslmode=verify-full": "one host",
      "postgres://user:hunter2@/x": "%-encoding",
      "postgres:///x": "Unix socket",
      "postgres://user:hunter2@localhost/x?sslmode=verify-full&sslmode=disable": "one sslmode",
      "postgres://user:hunter2@localhost/x?sslrootcert=/ca.pem": "sslmode=verify-full",
      "postgres://user:hunter2@localhost/x?sslmode=disable&sslnegotiation=direct": "sslnegotiation=direct",
    };
    // A setting of libpq that protects is honoured, or refused by its name; pg would drop these in silence.
    for (const parameter of [
      "channel_binding=require",
      "channel_binding=prefer",
      "gssencmode=require",
      "hostaddr=10.0.0.1",
      "require_auth=scram-sha-256",
      "target_session_attrs=any",
      "sslrootcert=system",
      "sslmode=no-verify",
      "ssl=no-verify",
      "sslcrl=/crl.pem",
      "sslpassword=hunter2",
      "ssl_min_protocol_version=TLSv1.3",
      "requirepeer=postgres",
      "passfile=/pgpass",
      "service=identity",
      "query_timeout=0",
      "connect_timeout=10",
      "pgbouncer=true",
    ]) {
      const [name = ""] = parameter.split("=");
      const mode = /^sslmode/.test(parameter) ? "" : "sslmode=verify-full&";
      refused[`postgres://user:hunter2@db.example/identity?${mode}${parameter}`] = `without ${name}`;
    }
    for (const [databaseUrl, wanted] of Object.entries(refused)) {
      const error = await open(databaseUrl);
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include("IDENTITY_DATABASE_URL").and.include(wanted);
      expect(error.message).not.to.include("hunter2");
    }
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
      [at({}, { sslmode: "verify-ca" })]: "sslrootcert",
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
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
      ...["-keyout", keyFile, "-out", certFile],
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
