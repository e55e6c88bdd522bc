// `@hardhat-identity/signer/pages`: the door for pages that the service serves to people, such as those of
// `@hardhat-identity/verify-page`.

export type { CredentialStore, ListedCredential } from "@hardhat-identity/store/credentials/credential";
export { describeChangeable } from "@hardhat-identity/store/files/exposure";
export { importModule } from "@hardhat-identity/store/files/importModule";
export { fileVariable } from "@hardhat-identity/store/files/secretFiles";
export type { Logger } from "@hardhat-identity/store/logger";
export type { Pages } from "./internal/app.ts";
export { verifyRoute } from "./internal/config/addresses.ts";
export { ServiceError } from "./internal/errors/serviceError.ts";
export { endpoint } from "./internal/http/endpoint.ts";
export { parseJson, receiveJson } from "./internal/http/jsonBody.ts";
export { leaveTurn } from "./internal/http/rateLimit.ts";
export { noted } from "./internal/http/requestLog.ts";
export type { MakeLimiter } from "./internal/limits/limiter.ts";
export type { Metrics } from "./internal/monitoring/metrics.ts";
export type { Readiness } from "./internal/service/readiness.ts";
export type { PagesService } from "./internal/service/service.ts";
