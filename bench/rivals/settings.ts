/** What every rival is told, by environment variables. */
export const settings = {
  rpcUrl: read("RPC_URL"),
  chainId: Number(read("CHAIN_ID")),
  registry: read("REGISTRY") as `0x${string}`,
  signingKey: read("SIGNING_KEY") as `0x${string}`,
  /** 32 bytes hex: credentials are encrypted with it, and identities hashed. */
  secret: read("SECRET"),
  /** Path of an SQLite file. */
  database: read("DATABASE"),
};

function read(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
}
