/** Name of the local network that `identity dev` serves. */
export const localNetwork = "identityLocal";

/** Its chain id, that of the public chain on which the registry is meant to be; its chain type is `op`. */
export const localChainId = 84532;
