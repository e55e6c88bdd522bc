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
const open = (databaseUrl: string) => rejection(openCredentialStore({ databaseUrl, masterSecret }));

describe("A PostgreSQL URL of a store", () => {
  it("is refused before anything is connected to when it cannot mean what it says, and is not shown", async () => {
    const refused = {
      "postgres://user:hunter2@db.example/identity": "sslmode=verify-full, or sslmode=disable",
      "postgres://user:hunter2@db.example/identity?sslmode=prefer":
        "disable, require, verify-ca, verify-full",
      // What is special in a password ends the host's name, unless it is encoded.
      "postgres://user:hunter2/x@db.example/identity": "%-encoding",
      "postgres://user:12/hunter2@db.example": "%-encoding",
      "postgres://user:hunter2#x@db.example/identity": "%-encoding",
      "postgres://user:hunter2@localhost": "<database>",
    };
    for (const [databaseUrl, wanted] of Object.entries(refused)) {
      const error = await open(databaseUrl);
      expect(error).to.be.instanceOf(InvalidInputError);
      expect(error.message).to.include("IDENTITY_DATABASE_URL").and.include(wanted);
      expect(error.message).not.to.include("hunter2");
    }
  });

  it("names what is wrong with the database, in words without the server's, which may quote the URL", async () => {
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

  it("says by sslmode what is checked of the server's certificate", async function () {
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
        openCredentialStore({ databaseUrl: url.href, masterSecret }),
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
