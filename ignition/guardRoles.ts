/**
 * The roles at the `AccessManager` of a guarded registry. OpenZeppelin's ADMIN_ROLE is 0. The others may be any numbers, and
 * are the same everywhere, so that tools know them.
 */
export const guardRoles = { admin: 0n, guardian: 1n, adder: 2n } as const;

/** Seconds that the administrator waits for everything but the removal of a signer. */
export const dayInSeconds = 24 * 60 * 60;
