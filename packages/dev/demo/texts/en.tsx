import { sharedTexts } from "@hardhat-identity/verify-page/shared/texts";
import type { Step, StepKind } from "../claim.ts";
import type { State } from "../state.ts";

const { troubles } = sharedTexts.en;
const command = [<code>npm start</code>, ", or in a project ", <code>npx hardhat identity dev</code>];
const write = new Intl.NumberFormat("en").format;

export const en = {
  where: "hardhat-identity demo",
  title: "One person counts once",
  local: "Local demo: nothing here is real",
  about:
    "This is an example app. It asks the signer service for verifications and sends them to example contracts. Each step shows what your own app would send and receive.",
  privacy:
    "This tab keeps your steps, and this browser remembers which wallets were used. The demo connects only to the chain and the service on this machine.",
  loading: "One moment…",
  tryAgain: "Try again",
  play: "Play the story",
  notForwarded: {
    title: "The demo cannot reach the stack",
    what: "Your browser reaches this page, but not",
    restart: [". If the stack has stopped, start it again: ", command, "."],
    elsewhere: "The demo runs on another machine",
    command: "On your own machine",
    forward: (demoUrl: string) =>
      `Forward each of its ports to the same port on yours, then open ${demoUrl}.`,
  },
  lead: "Alice claims from two wallets. Watch the contract refuse the second. It sees a code, not her account.",
  picture: (phone: State, laptop: State) =>
    `Alice has two wallets.${phone === "accepted" ? " The contract lets the first one in." : ""}${laptop === "reverted" ? " It refuses the second." : ""}`,
  ledger: {
    title: "What the contract knows",
    people: (count: number) => (count === 1 ? "1 person" : `${count} people`),
    nobody: "Nobody has claimed yet",
    claimed: "claimed",
    again: "Same person again: refused",
    unknown: "—",
    unconnected: "Not connected",
    nothingElse: "No name, no account",
  },

  people: { alice: "Alice", bob: "Bob" },
  devices: { phone: "Alice’s phone", laptop: "Alice’s laptop", bob: "Bob’s phone" },
  told: "That’s the whole story: Alice was paid once, and her second wallet and Bob were refused.",
  onward: {
    title: "Put this into your own project",
    text: "The guide installs the plugin. Then one command adds a contract, its test, its deployment and a CI workflow.",
    guide: "Get started",
    terminal: "Once it is installed, in your project",
    command: "npx hardhat identity init",
    /** For projects whose contract is here already. */
    own: {
      title: "Continue with your own contract",
      text: "It is deployed on this chain. Claim there as your users would, and see what your app would send.",
      terminal: "In your project, check what it requires",
      command: "npx hardhat identity policy",
    },
  },
  developers: {
    title: "For developers",
    text: "See what was sent. Claim with your own wallet, at another contract, or in a batch.",
    nothingSent: "Run a step of the story to see each message and response here.",
  },
  /** The result of a claim, on the tab with its calls. */
  tabs: {
    untried: "Not finished",
    running: "Under way",
    accepted: "Paid",
    reverted: "Refused by the contract",
    unsigned: "Refused by the service",
    otherwise: "Not as expected",
  } satisfies Readonly<Record<State, string>>,
  afterwards: (step: number) => `Run step ${step} first.`,
  tries: {
    phone: {
      title: "Alice claims",
      text: "The contract pays people with more than 1,000 followers on Microblog, our stand-in for X. Continue there as Alice.",
      past: "She has 1,200 followers on Microblog, and the contract asks for more than 1,000.",
      action: "Claim with Alice’s phone",
      ended: "Paid 100 test tokens",
      admitted: "Alice received 100 test tokens.",
      should: "",
    },
    laptop: {
      title: "Alice claims again",
      text: "Her laptop’s wallet is already verified with the same account. The contract should refuse it.",
      past: "Her laptop’s wallet has the same account, so the same identity hash.",
      action: "Claim with Alice’s laptop",
      ended: "Refused by the contract",
      admitted: "Alice received 100 test tokens.",
      should: (
        <>
          <b>Same identity hash, same person.</b> The contract never saw her name or her account.
        </>
      ),
    },
    bob: {
      title: "Bob claims",
      text: "Bob’s account is already verified, and has only 12 followers. The service should refuse to sign.",
      past: "Too few followers: 12.",
      action: "Claim with Bob’s phone",
      ended: "Refused by the service",
      admitted: "Bob is in.",
      should:
        "Bob has 12 followers, and the contract asks for more than 1,000. Nothing was sent, so no gas was paid.",
    },
  },
  reset: "Start over",
  resetDone: "Fresh contracts and wallets.",
  used: <>All test wallets have been used. Stop the stack, then start it again: {command}.</>,

  waits: {
    button: "Claiming…",
    signature: "Waiting for the wallet to sign…",
    transaction: "Waiting for the wallet to send…",
    service: "The service is checking the account…",
    block: "Waiting for the block…",
  },
  outcomes: {
    admitted: "The contract accepted the verification.",
    knows: "Instead of the account, the contract sees:",
    notFound: "This wallet has no verified account yet.",
    goProve: (person: string) => `Continue as ${person}. The app does the rest.`,
    goProveOwn: "Your app would send its user to the verify page, and carry on when they come back.",
    tooOld: "The account was verified too long ago for this contract.",
    prove: "Verify your account",
    proveAgain: "Verify the account again",
    unmet: "That account does not meet the condition, so the service did not sign.",
    unmetStory: "That was not Alice: this account has too few followers.",
    unmetExpected: "The service did not sign: too few followers.",
    reverted: "The contract refused:",
    revertedExpected: "The contract refused her second wallet.",
    usedBefore: "this person has already claimed here, from this wallet or another one.",
    trouble: "That did not work.",
    expected: "as expected",
    // The service is on the person's own machine.
    troubles: { ...troubles, unreachable: "The service does not answer. Restart the stack, then try again." },
    elsewhere: (chainId: number, rpcUrl: string) => (
      <>
        Your wallet is on a different network. This chain and Base Sepolia share the chain id {chainId}. In
        your wallet, set the network’s RPC URL to <code>{rpcUrl}</code>, or use the development wallet.
      </>
    ),
    failed: (code: string) => (code === "" ? "Something went wrong." : `Failed: ${code}`),
    knownBefore: "Alice has already claimed from this contract. Start over to get a new one.",
    unexpected: "Start over, and continue as Alice.",
    back: "You came back before finishing.",
    backWhy: {
      cancelled: "You left before an account was stored. Claim again when you are ready.",
      access_denied: "You denied access at the provider. Claim again when you are ready.",
      provider_unavailable: "The provider did not let us read the account. Claim again when you are ready.",
    } as Readonly<Record<string, string>>,
    backOther: (error: string) => `The page reported: ${error}. Claim again when you are ready.`,
  },

  story: "The story",
  travelled: "What was sent",
  steps: {
    message: () => ["The app writes a message", "It names the wallet, the chain and the contract."],
    signature: () => ["The wallet signs it", "Nothing is sent to a chain yet."],
    verification: () => ["The service answers with a verification", "This is all that the app receives."],
    refusal: () => [
      "The service refuses",
      "No transaction is sent. The body says why; the account’s numbers appear only on local nodes.",
    ],
    call: ({ calls = 1 }) => [
      calls === 1 ? "The app encodes the call" : `The app encodes ${calls} calls`,
      "The verification goes to the contract’s entry point.",
    ],
    transaction: () => ["The wallet sends the transaction", "The node accepted it."],
    batch: () => ["The wallet accepts the batch", "All calls succeed or none does (wallet_sendCalls)."],
    receipt: ({ block = 0, gasUsed = 0 }) => [
      "The contract lets the person in",
      `It recorded the identity in block ${write(block)}, for ${write(gasUsed)} gas.`,
    ],
    revert: () => ["The contract reverts", "The wallet simulated the call first, so it costs nothing."],
  } as Readonly<Record<StepKind, (step: Step) => readonly [title: string, text: string]>>,
  pieces: {
    message: "Message",
    signature: "Signature",
    request: "Request",
    response: "Response",
    decoded: "Call, decoded",
    calldata: "Call data",
    hash: "Transaction hash",
    batchId: "Batch",
    receipt: "Receipt",
    revertData: "Revert data",
  },
  inTypeScript: "How to do this in TypeScript",
  copy: "Copy",
  copied: "Copied",
  copyWhat: (what: string) => `Copy: ${what}`,
  copyByHand: "This browser does not let the page copy. Select the text and copy it.",
  milliseconds: (ms: number) => `${ms} ms`,

  own: {
    title: "With your own wallet or contract",
    jump: (names: string) => `Claim at your own contract: ${names}`,
    text: "Use any wallet in this browser, any of its accounts and any contract here, and see what your users would see.",
    connectFirst: "Connect a wallet first.",
    development: "Use the development wallet",
    developmentWhat:
      "The development wallet has the local chain’s accounts and never asks for confirmation. You need no extension. Its keys are public.",
    connect: (name: string) => `Connect ${name}`,
    connected: (name: string) => `${name} is connected.`,
    another: "Use another wallet",
    contract: "Contract",
    /** Its purpose, and the button. */
    examples: {
      Airdrop: ["A claim: each account that meets the condition is paid once.", "Claim with this wallet"],
      MembershipPass: ["A mint: one token for each account.", "Mint my pass"],
      Ballot: ["A vote: one for each account that was verified since the ballot opened.", "Vote yes"],
      VerifiedVault: [
        "A deposit: three calls (mint tokens, approve the vault, deposit) go as one batch, all or nothing.",
        "Deposit in one batch",
      ],
    },
    policy: "Asks for:",
    /** A condition's value, by the operator. */
    operators: {
      eq: (value: string) => value,
      gt: (value: string) => `more than ${value}`,
      gte: (value: string) => `at least ${value}`,
      lt: (value: string) => `less than ${value}`,
      lte: (value: string) => `at most ${value}`,
    } as Readonly<Record<string, (value: string) => string>>,
    call: (entryPoint: string) => `Call ${entryPoint}`,
    purpose: (entryPoint: string) => `Your own contract. Its entry point ${entryPoint} takes a verification.`,
  },
};

export type DemoTexts = typeof en;
