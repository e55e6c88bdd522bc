/**
 * Public secrets, so that a laptop needs none of its own. Code that uses them must refuse any chain that is not a local
 * node.
 */
export const development = {
  /** Signs verifications. `keccak256("hardhat-identity development signing key")`, 32 bytes hex. */
  signingKey: "0xb4e1042465b29656b2c3b6a0394d1e8e60dc64c14ab87a903fe254f047f9eb32",
  /** The address of the signing key. */
  signer: "0x0Ea4a128DE38ab08bf01af2051A023ec28Ec447e",
  /** The operator's master secret. `keccak256("hardhat-identity development master secret")`, 32 bytes hex. */
  masterSecret: "0xe9910634e30a796fbd4385a88f49e633c251ad3652d2146a21051ed0dca3ddbd",
} as const;

/** The accounts of the mnemonic that Hardhat and anvil start with: "test test … junk". */
const testAccounts = [
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
  "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
  "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
  "0x976EA74026E726554dB657fA54763abd0C3a0aa9",
  "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955",
  "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
  "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
  "0xBcd4042DE499D14e55001CcbB24a551F3b954096",
  "0x71bE63f3384f5fb98995898A86B02Fb2426c5788",
  "0xFABB0ac9d68B0B445fB7357272Ff202C5651694a",
  "0x1CBd3b2770909D4e10f157cABC84C7264073C9Ec",
  "0xdF3e18d64BC6A983f673Ab319CCaE4f1a57C7097",
  "0xcd3B766CCDd6AE721141F452C550Ca635964ce71",
  "0x2546BcD3c84621e976D8185a91A922aE77ECEc30",
  "0xbDA5747bFD65F08deb54cb465eB87D40e51B197E",
  "0xdD2FD4581271e230360230F9337D5c0430Bf44C0",
  "0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199",
];

const wellKnown = new Set([development.signer, ...testAccounts].map((address) => address.toLowerCase()));

/** Whether the key of an address is public, so that it must be neither owner nor signer on a public chain. */
export function isWellKnownAddress(address: string): boolean {
  return wellKnown.has(address.toLowerCase());
}

/**
 * Explains why a well-known address is refused on a public chain.
 *
 * @param subject The start of the sentence, with its verb, such as `--signer is 0x…,` or `0x… is`.
 */
export const describeWellKnown = (subject: string): string =>
  `${subject} a development address: everybody knows its key, and this chain is not a local node.`;
