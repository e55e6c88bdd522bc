// `@hardhat-identity/signer`: starts the service, and reads and writes its store. Everything in internal/ may change.

export type { Pages } from "./internal/app.ts";
export type { AuditEntry } from "./internal/audit/auditEntry.ts";
export { loadConfig, type SignerConfig } from "./internal/config/config.ts";
export type {
  Credential,
  CredentialStore,
  ListedCredential,
  NewCredential,
  ReadableStore,
} from "./internal/credentials/credential.ts";
export { everyCredential } from "./internal/credentials/pages.ts";
export type { Pin } from "./internal/credentials/pins.ts";
export { openCredentialStore, readStore, type StoreOptions } from "./internal/credentials/store.ts";
export type { MigrationState } from "./internal/database/migrations.ts";
export { backUpStore, migrateStore, readMigrations } from "./internal/database/operateStore.ts";
export { requireSecretFile } from "./internal/files/secretFiles.ts";
export { isPrivateKey } from "./internal/keys/keyLocation.ts";
export type { KeySource } from "./internal/keys/keySource.ts";
export { readKeystorePassword } from "./internal/keys/openKeySource.ts";
export { createLogger, type Logger } from "./internal/monitoring/log.ts";
export { type OpenSigner, openSigner, type SignerOptions } from "./internal/openSigner.ts";
export type { RunningService } from "./internal/runningService.ts";
export { startSigner } from "./internal/startSigner.ts";
export { release } from "./release.ts";
