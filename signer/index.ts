export type { AuditEntry } from "./internal/audit/entry.ts";
export { type ListedEntry, listAudit, verifyAudit } from "./internal/audit/operateTrail.ts";
export type { TrailReport } from "./internal/audit/verifyTrail.ts";
export { loadConfig, type SignerConfig } from "./internal/config.ts";
export { readDatabaseUrl } from "./internal/credentials/databaseUrl.ts";
export type { MigrationState } from "./internal/credentials/migrations.ts";
export { backUpStore, readMigrations } from "./internal/credentials/operateStore.ts";
export type { Pin } from "./internal/credentials/pins.ts";
export {
  type Credential,
  type CredentialStore,
  type ListedCredential,
  type NewCredential,
  openCredentialStore,
} from "./internal/credentials/store.ts";
export type { RunningService } from "./internal/runningService.ts";
export { readSecretFiles } from "./internal/secretFiles.ts";
export { startSigner } from "./internal/startSigner.ts";
