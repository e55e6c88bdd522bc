import { expect } from "chai";
import { InvalidInputError } from "../../protocol/errors.ts";
import { openCredentialStore } from "../../signer/index.ts";
import { sharedPostgres } from "../fixtures/postgres.ts";
import { rejection } from "../fixtures/rejection.ts";

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
      [at({}, { sslmode: "verify-full" })]: "TLS with it fails",
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
});
