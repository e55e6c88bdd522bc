export const en = {
  where: "Demo app",
  title: "One person, one claim",
  local: "A local demonstration: nothing here is real",
  about: (
    <p>
      An example app, as any project could have one. It asks the signer service for verifications and sends
      them to example contracts. What it shows beside each step is what your own app would send and get.
    </p>
  ),
  privacy: (
    <p>
      The demo keeps what you have tried in this tab, and nothing else. It speaks with the chain and the
      service on this machine, and with nobody else.
    </p>
  ),
  loading: "One moment…",
  tryAgain: "Try again",
  lead: "Alice has a phone and a laptop, Bob has a phone: three wallets. A programme rewards everyone with more than 1,000 followers, each person once. It never learns who they are. Who gets in?",
  released: "A block was still held back when this page was left. It has been mined, and the chain goes on.",
  noConsumer: "No example contract is deployed.",

  people: { alice: "Alice", bob: "Bob" },
  devices: {
    alicePhone: "Alice’s phone",
    aliceLaptop: "Alice’s laptop",
    bobPhone: "Bob’s phone",
  },
  states: { untried: "not tried", running: "under way", expected: "as it should be", otherwise: "otherwise" },
  story: "The story",
  more: "What developers ask next",
  afterwards: (title: string) => `Try “${title}” first.`,
  needsOther: (account: string) =>
    `This asks for ${account}, which is another account. The page where it is proven opens when it is needed.`,
  accounts: {
    microblog: "a Microblog account",
    exchange: "an Exchange account",
    short_video: "a Short video account",
    photo_social: "a Photo social account",
  } as Readonly<Record<string, string>>,
  tries: {
    first: {
      title: "Alice claims",
      text: "She has 1,200 followers, so she should get in.",
      action: "Claim with Alice’s phone",
      should: "",
    },
    second: {
      title: "Alice claims again",
      text: "Another wallet, the same person: the contract should notice and refuse.",
      action: "Claim with Alice’s laptop",
      should: "One person, one claim: another wallet does not help.",
    },
    other: {
      title: "Bob claims",
      text: "He has 12 followers. The service should not even sign for him.",
      action: "Claim with Bob’s phone",
      should: "Nothing was sent to the chain, and nothing was paid for.",
    },
    held: {
      title: "Before it is mined",
      text: "Alice mints a membership pass, and the block is held back: her identity is used already.",
      action: "Mint, and hold the block back",
      should: "",
    },
    vote: {
      title: "One person, one vote",
      text: "Alice votes in a ballot. Her account has to be proven since it opened.",
      action: "Vote yes",
      should: "",
    },
    tooOld: {
      title: "Proven too long ago",
      text: "A new ballot opens, and what Alice proved before is too old for it.",
      action: "Open a new ballot, and vote",
      should: "That is what should happen. Prove the account again to see the vote counted.",
    },
    batch: {
      title: "All or nothing",
      text: "Alice deposits into a vault: get tokens, allow the vault to take them, deposit. Three calls, one batch.",
      action: "Deposit in one batch",
      should: "",
    },
  },
  reset: "Start over",
  resetWhat: "Opens every contract anew, so that nobody has been there yet. Accounts stay proven.",
  resetDone: "Everything is as at the beginning. Accounts that were proven are still proven.",

  waits: {
    signature: "The wallet is asked to sign…",
    service: "The service looks at the contract’s policy and at the account…",
    transaction: "The wallet is asked to send…",
    block: "Waiting for the block…",
    interval: "The node mines at intervals: waiting for its next block…",
    held: "The block is held back. It is mined when you say so, or by itself in a minute.",
  },
  mine: "Mine the block",
  outcomes: {
    admitted: "In.",
    knows: "All that the contract knows of the person:",
    notFound: "The service knows no such account of this wallet yet.",
    goProve: (person: string) =>
      `The app sends ${person} to the page where an account is proven, and goes on by itself afterwards. Sign in as ${person} there.`,
    goProveOwn:
      "The app sends its user to the page where an account is proven, and goes on by itself afterwards.",
    tooOld: "The account was proven too long ago for this contract.",
    prove: "Prove an account",
    proveAgain: "Prove the account again",
    unmet: "The account does not meet the condition.",
    unmetWhat: "The service does not sign, so there is nothing to send.",
    reverted: (error: string) => `The contract refused: ${error}`,
    meanings: {} as Readonly<Record<string, string>>,
    trouble: "That did not work.",
    failed: (code: string) => (code === "" ? "Something went wrong." : `Refused: ${code}`),
    unexpected: "That is not what this is meant to show. Start over, and try them in their order.",
    back: "You came back without a proven account.",
    backWhy: {
      cancelled: "You went back before one was stored. Claim again when you like.",
      access_denied: "The provider said that you refused. Claim again when you like.",
    } as Readonly<Record<string, string>>,
    backOther: (error: string) => `The page says: ${error}. Claim again when you like.`,
  },

  travelled: "What travelled",
  steps: {
    message: { title: "The app writes a message", text: "It names the wallet, the chain and the contract." },
    signature: { title: "The wallet signs it", text: "Nothing is sent to a chain yet." },
    verification: {
      title: "The service answers with a verification",
      text: "It compared the contract’s policy with what it knows of the wallet. The answer is all that the app gets.",
    },
    refusal: {
      title: (status: string) => `The service answers ${status}`,
      text: "No verification, so no transaction is sent. The body says why.",
    },
    call: {
      title: (calls: number) => (calls === 1 ? "The app encodes the call" : `The app encodes ${calls} calls`),
      text: "The verification goes to the contract’s entry point.",
    },
    transaction: { title: "The wallet sends the transaction", text: "The node has taken it." },
    batch: { title: "The wallet takes the batch", text: "All of it happens, or nothing (wallet_sendCalls)." },
    pending: {
      title: "The identity is used, before it is in a block",
      text: "A read at pending says so already; at latest it does not yet. An app need not wait for the block to tell its user.",
    },
    used: {
      title: "The identity is used",
      text: "The block was mined at once, so pending and latest both say so.",
    },
    receipt: {
      title: "The contract lets the person in",
      text: (block: string, gas: string) =>
        `It asked the registry, and noted the identity, in block ${block}, for ${gas} gas.`,
    },
    revert: { title: "The contract reverts", text: "The wallet tried the call first, so it costs nothing." },
  },
  pieces: {
    message: "Message",
    signature: "Signature",
    request: "Request",
    response: "Answer",
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
  documentation: "Documentation",

  policy: {
    summary: "What the contract demands",
    contract: "Contract",
    provider: "Provider",
    conditions: "Conditions",
    since: "Proven since",
    block: (block: string) => `block ${block}`,
    fromChain: "Read from the chain: no caller can leave a condition out.",
    unreadable: "The contract’s policy could not be read.",
  },
  own: {
    title: "With your own wallet or contract",
    jump: (names: string) => `Claim at your own contract: ${names}`,
    text: "Any wallet of this browser, any account of it, any contract here: what your users would see.",
    connectFirst: "Connect a wallet first.",
    development: "Use the development wallet",
    developmentWhat:
      "The development wallet has the local chain’s accounts and asks nothing, so that no extension is needed. Its keys are known to everybody.",
    connect: (name: string) => `Connect ${name}`,
    connected: (name: string) => `${name} is connected.`,
    another: "Use another wallet",
    hold: "Hold the block back, to see the identity at pending before it is mined",
    otherChain: (chainId: string, rpcUrl: string) => (
      <>
        This wallet looks at another chain. It may well say {chainId}: that is the number of a public chain,
        too. Give it the address <code>{rpcUrl}</code> for this chain, or use the development wallet.
      </>
    ),
    changeNetwork: "Add this chain to the wallet",
    purposes: {
      IncentiveProgram: "A claim: everyone who meets the condition may enrol, once per person.",
      MembershipPass: "A mint: one token for each person.",
      Ballot: "A vote: one for each person, whose account was proven since the ballot opened.",
      VerifiedVault:
        "A deposit: three calls (get tokens, allow the vault to take them, deposit) go as one batch, all or nothing.",
    },
    actions: {
      IncentiveProgram: "Enrol",
      MembershipPass: "Mint my pass",
      Ballot: "Vote yes",
      VerifiedVault: "Deposit in one batch",
    },
    call: (entryPoint: string) => `Call ${entryPoint}`,
    purpose: (entryPoint: string) =>
      `A contract of your own; its entry point ${entryPoint} takes a verification.`,
  },
};

export type DemoTexts = typeof en;
