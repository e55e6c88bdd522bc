import { InvalidInputError } from "@hardhat-identity/protocol/errors";
import { importModule } from "@hardhat-identity/signer/pages";
import type { ConnectorCorrections } from "../connectors/connector.ts";
import { connectors as builtIn } from "../connectors/connectors.ts";
import type { ProviderClients, Providers } from "../connectors/registration.ts";
import { findUnreachable } from "./config.ts";
import { correctConnectors } from "./correctConnectors.ts";

/**
 * Returns the configured providers, with their connectors as the operator has corrected them.
 *
 * @param config.connectors The path of a module whose default export is of {@link ConnectorCorrections}.
 * @param corrections Corrections by the code that starts the service. They override the module's.
 */
export async function openProviders(
  config: { readonly providers: ProviderClients; readonly connectors?: string | undefined },
  corrections: ConnectorCorrections = {},
): Promise<Providers> {
  const { connectors: path, providers: clients } = config;
  const ofModule =
    path === undefined
      ? builtIn
      : correctConnectors(builtIn, await load(path), `IDENTITY_CONNECTORS (${path})`);
  const connectors = correctConnectors(ofModule, corrections, "The option connectors");
  const problems = findUnreachable(clients, connectors);
  if (problems.length === 0) return { clients, connectors };
  throw new InvalidInputError(`The verify page's configuration is not valid:\n${problems.join("\n")}`);
}

async function load(path: string): Promise<unknown> {
  const module = await importModule(path).catch((error) => {
    throw new InvalidInputError(
      `IDENTITY_CONNECTORS names a module that cannot be loaded, ${path}: ${error?.message ?? error}`,
    );
  });
  if (module.default !== undefined) return module.default;
  throw new InvalidInputError(`IDENTITY_CONNECTORS names ${path}, a module that has no default export.`);
}
