import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

interface RivalCredential {
  readonly accountId: string;
  readonly traits: Readonly<Record<string, string>>;
  /** Unix seconds. */
  readonly authenticatedAt: number;
}

/** Opens a credential store as people would write it themselves: one SQLite table with encrypted JSON. */
export function openCredentials(path: string, secret: string) {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(
    "CREATE TABLE IF NOT EXISTS credentials (wallet TEXT, provider TEXT, nonce BLOB, sealed BLOB, tag BLOB, PRIMARY KEY (wallet, provider))",
  );
  const key = createSecretKey(Buffer.from(secret.slice(2), "hex"));
  const insert = database.prepare("INSERT OR REPLACE INTO credentials VALUES (?, ?, ?, ?, ?)");
  const select = database.prepare(
    "SELECT nonce, sealed, tag FROM credentials WHERE wallet = ? AND provider = ?",
  );
  return {
    set(wallet: string, provider: string, credential: RivalCredential): void {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(JSON.stringify(credential)), cipher.final()]);
      insert.run(wallet.toLowerCase(), provider, nonce, sealed, cipher.getAuthTag());
    },
    find(wallet: string, provider: string): RivalCredential | undefined {
      const row = select.get(wallet.toLowerCase(), provider) as Record<string, Uint8Array> | undefined;
      const { nonce, sealed, tag } = row ?? {};
      if (nonce === undefined || sealed === undefined || tag === undefined) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAuthTag(tag);
      return JSON.parse(decipher.update(sealed, undefined, "utf8") + decipher.final("utf8"));
    },
    close: () => database.close(),
  };
}
