/** Name of the local network that `identity dev` serves. */
export const localNetwork = "identityLocal";

/** Chain id of the local network: that of the public chain where the registry belongs. Its chain type is `op`. */
export const localChainId = 84532;

/**
 * Name of the network that connects to a running stack by its URL. A project cannot mean another network by it: no name
 * of a network is written with a space.
 */
export const stackNetwork = "identity dev";
