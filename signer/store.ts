// `@hardhat-identity/signer/store`: a store without the service, for programs that list, change, move, re-encrypt or verify
// one. They need no Express.
export type { AuditEntry, Head } from "./internal/audit/auditEntry.ts";
export { beginning, findProblem, nameRow, type Place, placeAfter } from "./internal/audit/judgeRow.ts";
export { type Refusals, refusalReasons } from "./internal/audit/refusals.ts";
export { type AuditRows, openAuditRows } from "./internal/audit/rows.ts";
export {
  type AuditRow,
  createSequenceSeal,
  looksLikeCheckpoint,
  type SequenceSeal,
} from "./internal/audit/sequence.ts";
export type {
  CredentialStore,
  ListedCredential,
  NewCredential,
  ReadableStore,
} from "./internal/credentials/credential.ts";
export { credentialSeal, everyCredential, openRow } from "./internal/credentials/pages.ts";
export { everyPin, type Pin } from "./internal/credentials/pins.ts";
export { openCredentialStore, readStore, type StoreOptions } from "./internal/credentials/store.ts";
export type { Database } from "./internal/database/database.ts";
export { readDatabaseLocation } from "./internal/database/databaseUrl.ts";
export { migrateWithin } from "./internal/database/migrations.ts";
export { openDatabase } from "./internal/database/openDatabase.ts";
export {
  describeOpening,
  describeStoreFailure,
  requireStore,
  withExistingStore,
} from "./internal/database/operateStore.ts";
export { pageByKey, pagesOf } from "./internal/database/paging.ts";
export {
  encryptionKeyId,
  recordEncryptionSecret,
  type StoreAccess,
} from "./internal/database/properties.ts";
export { type Schema, tableNames } from "./internal/database/schema.ts";
export { createSeal } from "./internal/database/seal.ts";
export { StoreUnavailableError } from "./internal/database/storeUnavailable.ts";
