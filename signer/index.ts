export type { AuditEntry } from "./internal/audit/auditEntry.ts";
export { type ListedEntry, listAudit, verifyAudit } from "./internal/audit/operateTrail.ts";
export type { TrailReport } from "./internal/audit/verifyTrail.ts";
export {
  findUnknownVariables,
  loadConfig,
  readChainSettings,
  readStoreSettings,
  type SignerConfig,
} from "./internal/config/config.ts";
export { describeSettings } from "./internal/config/settings.ts";
export type { Credential, ListedCredential, NewCredential } from "./internal/credentials/credential.ts";
export { exportStore, type Moved } from "./internal/credentials/exportStore.ts";
export { type Imported, importStore } from "./internal/credentials/importStore.ts";
export { everyCredential } from "./internal/credentials/pages.ts";
export { everyPin, type Pin } from "./internal/credentials/pins.ts";
export { reencryptStore } from "./internal/credentials/reencryptStore.ts";
export {
  type CredentialStore,
  openCredentialStore,
  type StoreOptions,
} from "./internal/credentials/store.ts";
export type { MigrationState } from "./internal/database/migrations.ts";
export {
  backUpStore,
  demandStore,
  describeStoreFailure,
  readMigrations,
} from "./internal/database/operateStore.ts";
export { createLogger } from "./internal/monitoring/log.ts";
export { release } from "./internal/monitoring/release.ts";
export type { RunningService } from "./internal/runningService.ts";
export { startSigner } from "./internal/startSigner.ts";
