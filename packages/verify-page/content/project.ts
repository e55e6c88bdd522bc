const source = "https://github.com/hardhat-identity/hardhat-identity";

/** Where people find the project. */
export const project = {
  source,
  licence: `${source}/blob/main/LICENSE`,
  /** A page of the guides follows. */
  docs: `${source}/blob/main/docs/`,
} as const;
