// `identity-signer`: the tools for a service's store. The command is `identity-signer`.

export { moveStore } from "./store/moveStore.ts";
export { type ListedEntry, listAudit, verifyAudit } from "./store/operateTrail.ts";
export { reencryptStore } from "./store/reencryptStore.ts";
export type { TrailReport } from "./store/verifyTrail.ts";
