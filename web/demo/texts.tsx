import type { Trouble } from "../shared/trouble.ts";

/** Where a wallet's claim is: its line is grey, being drawn, at its ✓ or at its ✕. */
export type Scene = "untried" | "running" | "accepted" | "refused";

/** What the demo says. */
export const texts = {
  where: "hardhat-identity demo",
  title: "One person, one claim",
  local: "Local demo: nothing here is real",
  about: (
    <p>
      This is an example app. It asks the signer service for verifications and sends them to example
      contracts. Each step shows what your own app would send and receive.
    </p>
  ),
  privacy: (
    <p>
      The demo keeps your steps in this tab, and in this browser which wallets were used. It connects to the
      chain and the service on this machine, and to nothing else.
    </p>
  ),
  loading: "One moment…",
  /** In place of a wallet's address, and as wide. */
  noAddress: "0x0000…0000",
  film: { play: "Play the story", stop: "Stop" },
  tryAgain: "Try again",
  notForwarded: {
    what: (unreached: string, demoUrl: string) =>
      `Your browser reaches this page, but not ${unreached}. Start the stack again if it has stopped. If the demo runs on another machine, forward all of its ports to the same numbers on yours, and then open ${demoUrl}.`,
    command: "On your own machine",
  },
  lead: "Alice claims from two wallets. Watch the contract refuse the second one, without learning who she is.",
  picture: (phone: Scene, laptop: Scene) =>
    `Alice has two wallets.${phone === "accepted" ? " The contract lets the first one in." : ""}${laptop === "refused" ? " It refuses the second." : ""}`,
  ledger: {
    title: "What the contract knows",
    people: (count: number) => (count === 1 ? "1 person" : `${count} people`),
    nobody: "Nobody has claimed yet",
    claimed: "claimed",
    again: "came again: refused",
    nothingElse: "No name, no account, no followers",
  },
  released: "You left this page with a block held back. It has been mined.",

  people: { alice: "Alice", bob: "Bob" },
  devices: {
    phone: "Alice’s phone",
    laptop: "Alice’s laptop",
    bob: "Bob’s phone",
  },
  states: {
    untried: "to do",
    running: "in progress",
    accepted: "accepted",
    reverted: "refused by the contract",
    unsigned: "refused by the service",
    otherwise: "unexpected",
  },
  story: "The story",
  told: "That is the whole story: Alice is paid once, her second wallet is refused, and so is Bob.",
  onward: {
    title: "Put this into your own project",
    text: "For Solidity developers: one command adds a contract, its test, its deployment and a CI workflow.",
    terminal: "In a Hardhat project",
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
    text: "See what was sent. Claim with your own wallet, at your own contract, in a batch, or before a block is mined.",
    nothingSent: "Run a step of the story to see each message and response here.",
  },
  afterwards: (title: string) => `Try “${title}” first.`,
  tries: {
    phone: {
      title: "Alice claims",
      text: "The contract pays people with more than 1,000 followers on Microblog, our stand-in for X. Continue there as Alice.",
      action: "Claim with Alice’s phone",
      admitted: "Alice received 100 test tokens.",
      should: "",
    },
    laptop: {
      title: "Alice claims again",
      text: "Her laptop’s wallet is already linked to the same account. The contract should refuse it.",
      action: "Claim with Alice’s laptop",
      admitted: "Alice received 100 test tokens.",
      should: (
        <>
          <b>Same identity hash, same person.</b> The contract never saw her name or her account.
        </>
      ),
    },
    bob: {
      title: "Bob claims",
      text: "Bob’s account is already linked, and has only 12 followers. The service should refuse to sign.",
      action: "Claim with Bob’s phone",
      admitted: "Bob is in.",
      should:
        "Bob has 12 followers, and the contract asks for more than 1,000. Nothing was sent to the chain, so no gas was paid.",
    },
  },
  reset: "Start over",
  resetWhat: "Switches to fresh contracts and fresh wallets.",
  resetDone: "Ready: the contracts and wallets are fresh.",
  resetUsed:
    "Ready: the contracts are fresh. No unused wallets are left, so Alice’s account may be proven already. Restart the stack for new wallets.",

  waits: {
    signature: "Waiting for the wallet to sign…",
    service: "The service is checking the contract’s policy and the account…",
    transaction: "Waiting for the wallet to send…",
    block: "Waiting for the block…",
    interval: "The node mines at intervals. Waiting for its next block…",
    held: "The block is held back. Mine it when you like, or wait a minute.",
  },
  mine: "Mine the block",
  outcomes: {
    admitted: "The contract accepted the verification.",
    knows: "All the contract learns about the person:",
    notFound: "This wallet has not proven an account yet.",
    goProve: (person: string) => `Continue as ${person}. The app then continues by itself.`,
    goProveOwn: "Your app would send its user to the verify page, and then continue by itself.",
    tooOld: "The account was proven too long ago for this contract.",
    prove: "Prove an account is yours",
    proveAgain: "Prove the account again",
    expected: "as expected",
    unmet: "That account does not meet the condition, so the service did not sign.",
    unmetExpected: "The service did not sign.",
    reverted: "The contract refused:",
    revertedExpected: "The contract refused her second wallet.",
    trouble: "That did not work.",
    /** Where it is another than for people whose service is elsewhere. */
    troubles: {
      unreachable: "The service does not answer. Start it again if it has stopped, then try again.",
    } as Partial<Record<Trouble, string>>,
    failed: (code: string) => (code === "" ? "Something went wrong." : `Refused: ${code}`),
    unexpected: "This step should have ended differently.",
    unexpectedCure: "Start over, and choose Alice at the sign-in.",
    back: "You came back before finishing.",
    backWhy: {
      cancelled: "You left before an account was stored. Claim again when you are ready.",
      access_denied: "You denied access at the provider. Claim again when you are ready.",
    } as Readonly<Record<string, string>>,
    backOther: (error: string) => `The page reported: ${error}. Claim again when you are ready.`,
  },

  travelled: "What was sent",
  steps: {
    message: { title: "The app writes a message", text: "It names the wallet, the chain and the contract." },
    signature: { title: "The wallet signs it", text: "Nothing is sent to a chain yet." },
    verification: {
      title: "The service answers with a verification",
      text: "It compared the contract’s policy with the wallet’s account. This answer is all the app receives.",
    },
    refusal: {
      title: "The service refuses",
      text: "There is no verification, so no transaction is sent. The body says why. Only on a local node does it tell the account’s numbers.",
    },
    call: {
      title: (calls: number) => (calls === 1 ? "The app encodes the call" : `The app encodes ${calls} calls`),
      text: "The verification goes to the contract’s entry point.",
    },
    transaction: { title: "The wallet sends the transaction", text: "The node accepted it." },
    batch: {
      title: "The wallet accepts the batch",
      text: "All calls succeed or none does (wallet_sendCalls).",
    },
    pending: {
      title: "The identity is used before the block is mined",
      text: "A read at pending shows it; a read at latest does not yet. An app can tell its user without waiting for the block.",
    },
    used: {
      title: "The identity is used",
      text: "The block was mined at once, so pending and latest agree.",
    },
    receipt: {
      title: "The contract lets the person in",
      text: (block: string, gas: string) =>
        `The registry checked the verification, and the contract recorded the identity in block ${block}, for ${gas} gas.`,
    },
    revert: {
      title: "The contract reverts",
      text: "The wallet simulated the call first, so it costs nothing.",
    },
  },
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
    code: "In TypeScript",
  },
  copy: "Copy",
  copyWhat: (what: string) => `Copy: ${what}`,
  copied: "Copied",
  copyByHand: "This browser does not let the page copy. Select the text and copy it.",
  documentation: "Documentation",
  milliseconds: (ms: number) => `${ms} ms`,

  policy: {
    summary: "What the contract requires",
    contract: "Contract",
    provider: "Provider",
    conditions: "Conditions",
    since: "Proven since",
    block: (block: string) => `block ${block}`,
    fromChain: "Read from the chain, so no caller can leave out a condition.",
    unreadable: "The contract’s policy could not be read.",
  },
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
    hold: "Hold the block back to see the identity at pending before it is mined",
    otherChain: (chainId: string, rpcUrl: string) => (
      <>
        Your wallet is on a different network. {chainId} is also Base Sepolia: check that the RPC URL is{" "}
        <code>{rpcUrl}</code>, or use the development wallet.
      </>
    ),
    changeNetwork: "Add this chain to the wallet",
    /** Its purpose, and the button. */
    examples: {
      Airdrop: ["A claim: each account that meets the condition is paid once.", "Claim with this wallet"],
      MembershipPass: ["A mint: one token for each account.", "Mint my pass"],
      Ballot: ["A vote: one for each account that was proven since the ballot opened.", "Vote yes"],
      VerifiedVault: [
        "A deposit: three calls (mint tokens, approve the vault, deposit) go as one batch, all or nothing.",
        "Deposit in one batch",
      ],
    },
    call: (entryPoint: string) => `Call ${entryPoint}`,
    purpose: (entryPoint: string) => `Your own contract. Its entry point ${entryPoint} takes a verification.`,
  },
};
