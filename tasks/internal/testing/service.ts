// The shapes of `connection.identity.startService`, which the package @hardhat-identity/dev starts.
import type { Eip1193Connection } from "@hardhat-identity/protocol/eip1193";
import type { Hex } from "@hardhat-identity/protocol/hex";
import type { AddressLike } from "./arguments.ts";
import type { TestCredentials } from "./credentials.ts";
import type { Remembered } from "./explain.ts";
import type { MintedVerification } from "./mint.ts";
import type { TestRequestOptions } from "./request.ts";

/** The options of a test's service. */
export interface ServiceOptions {
  /** People by name: their provider, traits and wallets. */
  readonly credentials: TestCredentials;
  /** Defaults to the last registry that `deployRegistry` deployed. */
  readonly registry?: AddressLike | undefined;
}

/** A signer service for a test, served over HTTP on loopback. */
export interface TestService extends AsyncDisposable {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  /** The registry that the service signs for. */
  readonly registry: Hex;
  /**
   * Does what an app does: the wallet signs in, and the service issues a verification.
   *
   * @throws IdentityError if the service refuses, as an app gets it: `conditions_not_satisfied`, …
   */
  request(options: TestRequestOptions): Promise<MintedVerification>;
  /** Stops the service and deletes its store. */
  close(): Promise<void>;
}

/** The module of @hardhat-identity/dev that a connection loads. */
export interface ServiceModule {
  startTestService(
    node: Eip1193Connection,
    remembered: Remembered,
    options: ServiceOptions,
    deployed: Hex | undefined,
  ): Promise<TestService>;
}
