// `@hardhat-identity/signer`: starts the service, and reads and writes its store. Everything in internal/ may change.

export type { AuditEntry } from "@hardhat-identity/store/audit/auditEntry";
export type {
  Credential,
  CredentialStore,
  ListedCredential,
  NewCredential,
  ReadableStore,
} from "@hardhat-identity/store/credentials/credential";
export { everyCredential } from "@hardhat-identity/store/credentials/pages";
export type { Pin } from "@hardhat-identity/store/credentials/pins";
export { openCredentialStore, readStore, type StoreOptions } from "@hardhat-identity/store/credentials/store";
export type { MigrationState } from "@hardhat-identity/store/database/migrations";
export { backUpStore, migrateStore, readMigrations } from "@hardhat-identity/store/database/operateStore";
export { requireSecretFile } from "@hardhat-identity/store/files/secretFiles";
export type { Logger } from "@hardhat-identity/store/logger";
export type { Pages } from "./internal/app.ts";
export { loadConfig, type SignerConfig } from "./internal/config/config.ts";
export { isPrivateKey } from "./internal/keys/keyLocation.ts";
export type { KeySource } from "./internal/keys/keySource.ts";
export { readKeystorePassword } from "./internal/keys/openKeySource.ts";
export { createLogger } from "./internal/monitoring/log.ts";
export { type OpenSigner, openSigner, type SignerOptions } from "./internal/openSigner.ts";
export type { RunningService } from "./internal/runningService.ts";
export { startSigner } from "./internal/startSigner.ts";
export { release } from "./release.ts";
