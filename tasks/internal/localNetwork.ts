/** Name of the local network that `identity dev` serves. */
export const localNetwork = "identityLocal";

/** Chain id of the local network: that of the public chain where the registry belongs. Its chain type is `op`. */
export const localChainId = 84532;
