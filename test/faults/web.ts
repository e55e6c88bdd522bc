import type { Fault } from "./fault.ts";

/** The attacks that the verify page withstands by SECURITY.md. */
const withstood: readonly Fault[] = [
  {
    what: "the verify page can be shown inside another page",
    file: "signer/internal/verify/guards.ts",
    from: `, "frame-ancestors 'none'"];`,
    to: "];",
    tests: ["test/web/verify/served.test.ts"],
  },
  {
    what: "another page of the same site deletes accounts with the person's cookies",
    file: "signer/internal/verify/guards.ts",
    from: "if (request.headers.origin !== origin) {",
    to: `if (request.headers["sec-fetch-site"] === "cross-site") {`,
    tests: ["test/web/verify/attacks.long.test.ts: does nothing for another page of the same site"],
  },
  {
    what: "a click in a tab that was left open deletes an account of the wallet that has signed in since",
    file: "signer/internal/verify/session.ts",
    from: "if (wallet === checksumAddress(shown)) return;",
    to: "if (checksumAddress(shown) !== undefined || wallet) return;",
    tests: ["test/web/verify/tabs.long.test.ts: deletes nothing of another tab's wallet, and leads on"],
  },
  {
    what: "a screen that another tab has made untrue says that the service is broken",
    file: "packages/verify-page/page/useAction.ts",
    from: `if (code === "stale_page") page.outdate();`,
    to: `if (code === undefined) page.outdate();`,
    tests: ["test/web/verify/tabs.long.test.ts"],
  },
  {
    what: "people are sent to an address that the operator does not know, without a look at it",
    file: "packages/verify-page/page/App.tsx",
    from: `if (returnTo.kind === "trusted") await followLink(url);`,
    to: `if (returnTo.kind !== undefined) await followLink(url);`,
    tests: ["test/web/verify/journey.long.test.ts: goes to an unlisted address on a click only"],
  },
  {
    what: "an account is proven for another wallet than the app asks for, without a word",
    file: "packages/verify-page/page/Prove.tsx",
    from: "askedWallet !== wallet && !page.accepts(wallet)",
    to: "askedWallet === undefined && !page.accepts(wallet)",
    tests: ["test/web/verify/ways.long.test.ts"],
  },
  {
    what: "the demo can be framed",
    file: "packages/dev/internal/serveDemo.ts",
    from: `        "frame-ancestors 'none'",\n`,
    to: "",
    tests: ["test/web/demo/served.test.ts"],
  },
];

/** Others in web/, each of which somebody could make. */
const others: readonly Fault[] = [
  {
    what: "the wallet that was chosen is known on this machine after its session is over",
    file: "packages/verify-page/page/memory.ts",
    from: "  move(wallet, signedIn);\n",
    to: "  write(signedIn, read(wallet));\n",
    tests: ["test/web/verify/goingOn.long.test.ts"],
  },
  {
    what: "what was proven earlier today was proven yesterday",
    file: "packages/verify-page/shared/words.ts",
    from: "new Date(moment).setHours(0, 0, 0, 0)",
    to: "moment.getTime()",
    tests: ["test/web/shared/words.test.ts"],
  },
  {
    what: "a wallet that still asks something is said to have failed",
    file: "packages/verify-page/shared/trouble.ts",
    from: "code === -32002",
    to: "code === -32000",
    tests: ["test/web/shared/trouble.test.ts"],
  },
  {
    what: "times are written as in the United States, wherever the person is",
    file: "packages/verify-page/shared/language.tsx",
    from: "browserTags().find((each) => findLanguage([each]) === language) ?? language",
    to: "language",
    tests: ["test/web/verify/around.long.test.ts"],
  },
  {
    what: "a wallet on another chain with the same registry passes for one on the demo's",
    file: "packages/dev/demo/chain.ts",
    from: '"eth_getBlockByHash", params: [hash, false] });\n  return Object(await found.catch(() => undefined)).hash === hash;',
    to: '"eth_getBlockByNumber", params: ["latest", false] });\n  return Object(await found.catch(() => hash)).hash !== undefined;',
    tests: ["test/web/demo/claim.test.ts"],
  },
  {
    what: "a browser without scripts shows a spinner forever",
    file: "packages/verify-page/shared/base.css",
    from: "@media (scripting: none) {",
    to: "@media (scripting: enabled) {",
    tests: ["test/web/look.long.test.ts"],
  },
  {
    what: "of an address, no more can be copied than what is shown",
    file: "packages/verify-page/page/Address.tsx",
    from: "useCopy(wallet)",
    to: "useCopy(shortenAddress(wallet))",
    tests: ["test/web/verify/accounts.long.test.ts"],
  },
  {
    what: "a wallet that was asked before another one signs in",
    file: "packages/verify-page/page/Connect.tsx",
    from: "if (chosen.current?.id !== wallet.id) return;",
    to: "",
    tests: ["test/web/verify/surprises.long.test.ts"],
  },
  {
    what: "a translated page keeps its former texts",
    file: "packages/verify-page/shared/textKeys.ts",
    from: "|| !hasText(props.children)) return;",
    to: "|| hasText(props.children)) return;",
    tests: [
      "test/web/verify/surprises.long.test.ts: is a browser that translates it: what it shows stays true",
    ],
  },
  {
    what: "in development, the wallet that the app asks for has to be chosen",
    file: "packages/verify-page/page/Connect.tsx",
    from: "if (accounts.includes(askedWallet) &&",
    to: "if (accounts.length === 0 &&",
    tests: ["test/web/journey.test.ts"],
  },
  {
    what: "in development, another of the wallet's accounts has to be signed out by hand",
    file: "packages/verify-page/page/Prove.tsx",
    from: "accounts.includes(each)",
    to: "!accounts.includes(each)",
    tests: ["test/web/demo/story.long.test.ts"],
  },
  {
    what: "the demo offers to start over before anything was tried",
    file: "packages/dev/demo/Stage.tsx",
    from: "hasBegun && !isOffered && (",
    to: "!isOffered && (",
    tests: [
      "test/web/demo/story.long.test.ts: admits Alice once, refuses her second wallet and Bob, and starts over, on ${device}",
    ],
  },
  {
    what: "the demo forgets that all wallets are used, and sends people in a circle",
    file: "packages/dev/demo/acts.ts",
    from: "isUsed: unused === undefined",
    to: "isUsed: false",
    tests: [
      "test/web/demo/story.long.test.ts: says that all wallets are used, and sends nobody in a circle then",
    ],
  },
  {
    what: "the demo offers a contract to somebody whose own is deployed",
    file: "packages/dev/demo/App.tsx",
    from: "hasOwn ? texts.onward.own : texts.onward",
    to: "texts.onward",
    tests: [
      "test/web/demo/demo.long.test.ts: lists a consumer of the project's own first, and claims there by its ABI alone",
    ],
  },
  {
    what: "the address to sign in with stands twice where it can be chosen",
    file: "packages/verify-page/page/SignIn.tsx",
    from: " isElsewhere />",
    to: " />",
    tests: [
      "test/web/verify/accounts.long.test.ts: shows the address once where it can be chosen, and copies the chosen one",
    ],
  },
  {
    what: "the verify page hears a wallet until the page without it is painted",
    file: "packages/verify-page/page/SignIn.tsx",
    from: "import { useLayoutEffect, useRef, useState }",
    to: "import { useEffect as useLayoutEffect, useRef, useState }",
    tests: [
      "test/web/verify/journey.long.test.ts: lets a person choose another wallet, before and after signing in",
    ],
  },
  {
    what: "a failed sign-in is also shown to a person who comes from another app",
    file: "signer/internal/verify/overview.ts",
    from: "ended.find((proof) => proof.visit === visit)",
    to: "ended[0]",
    tests: [
      "test/signer/verify/journey.test.ts: is told of a failure where it happened, and not when another app sends them",
    ],
  },
  {
    what: "a sign-in that has ended at the sandbox leads to a verify page that has forgotten the app",
    file: "packages/dev/sandbox/internal/routes.ts",
    from: '"/verify?ended=true"',
    to: '"/verify"',
    tests: [
      "test/web/verify/goingOn.long.test.ts: keeps what the app asked when Back leads to the provider’s page after “${answer}” there",
    ],
  },
  {
    what: "the verify page's language is lost on the way to a provider",
    file: "signer/internal/verify/prove.ts",
    from: "uiLocales: asked.language,",
    to: "uiLocales: undefined,",
    tests: [
      "test/web/verify/around.long.test.ts: speaks the language that the app's link asks for, up to the provider and back, until the person chooses one",
    ],
  },
  {
    what: "what the page waits for moves the buttons below",
    file: "packages/verify-page/page/style.css",
    from: "  min-height: 1.6em;\n",
    to: "",
    tests: [
      "test/web/verify/slowLine.long.test.ts: says what it waits for, leaves its buttons in their places, and does once what is pressed twice, on ${device}",
    ],
  },
  {
    what: "what the wallet asks or refuses is said far from the button that was pressed",
    file: "packages/verify-page/page/Actions.tsx",
    from: '        <Progress task={task} />\n      </div>\n      <div class="actions">{children}</div>\n',
    to: '      </div>\n      <div class="actions">{children}</div>\n      <Progress task={task} />\n',
    tests: [
      "test/web/verify/troubles.long.test.ts: says what it waits for: the wallet while that asks, the chain while the service does",
      "test/web/verify/ways.long.test.ts: keeps the focus where it is tried again after the wallet refused, on ${device}",
      "test/web/verify/wallets.long.test.ts: says so when the account that the app asks for is not among those of the development wallet",
    ],
  },
  {
    what: "an account that was proven too long ago was proven when the app asks, to the minute",
    file: "packages/verify-page/page/Prove.tsx",
    from: 'proven === needed ? "medium" : "short"',
    to: '"short"',
    tests: [
      "test/web/verify/ways.long.test.ts: tells an account that was proven too long ago from what the app asks by seconds, within a minute",
    ],
  },
  {
    what: "a person who goes on with another wallet reads the wrong address of the wallet that the app ignores",
    file: "packages/verify-page/page/OtherWallet.tsx",
    from: "shortenAddress(wallet)",
    to: 'shortenAddress(page.overview.askedWallet ?? "")',
    tests: [
      "test/web/verify/ways.long.test.ts: asks before another wallet is used than the app asks for, and follows the wallet, on ${device}",
      "test/web/verify/ways.long.test.ts: asks which wallet a person means",
    ],
  },
  {
    what: "an account that the app takes is said to be too old",
    file: "packages/verify-page/page/Prove.tsx",
    from: "        .filter((account) => !isFresh(account))\n",
    to: "",
    tests: [
      "test/web/verify/ways.long.test.ts: takes somebody who has proven the account back with success at once, on ${device}",
    ],
  },
  {
    what: "on a phone, both answers stay over what others learn while that is read",
    file: "packages/verify-page/page/style.css",
    from: "    position: static;\n",
    to: "",
    tests: ["test/web/verify/ways.long.test.ts: shows both answers on a small phone without scrolling"],
  },
  {
    what: "a person who leaves for an unlisted app without a proof is shown as done",
    file: "packages/verify-page/page/Leave.tsx",
    from: "url === page.overview.returnTo?.success ? 4 : undefined",
    to: "4",
    tests: [
      "test/web/verify/journey.long.test.ts: shows nobody as done who leaves for an unlisted address without a proof",
    ],
  },
  {
    what: "a person who comes without an app is told to choose the wallet that they use with it",
    file: "packages/verify-page/page/Connect.tsx",
    from: "texts.connect.chooseOwn",
    to: "texts.connect.choose",
    tests: ["test/web/verify/journey.long.test.ts: tells a person who comes without an app what to do"],
  },
  {
    what: "the way on from a denial is named after a screen that it does not lead to",
    file: "packages/verify-page/page/Failed.tsx",
    from: "titleProve(page, texts.prove)",
    to: 'texts[page.app === undefined ? "prove" : "accounts"].none',
    tests: [
      "test/web/verify/journey.long.test.ts: names the screen that leads on from a denial, to somebody ${who}",
    ],
  },
  {
    what: "the address of the wallet that the app asks for stands on a screen twice",
    file: "packages/verify-page/page/YourWallet.tsx",
    from: "  if (wallet === page.overview.askedWallet) return null;\n",
    to: "",
    tests: [
      "test/web/verify/ways.long.test.ts: leads from the service's refusal to a verification for the wallet that was refused, on ${device}",
    ],
  },
  {
    what: "the sandbox says that a sign-in took too long which the person has answered",
    file: "packages/dev/sandbox/internal/routes.ts",
    from: "      visit.isAnswered = true;\n",
    to: "",
    tests: ["test/sandbox/sandbox.test.ts: says what went wrong, and leads back to the verify page"],
  },
  {
    what: "the sandbox has no page at its own address",
    file: "packages/dev/sandbox/sandbox.ts",
    from: '  app.get("/", (request, response) => sendFront(request, response, visits));\n',
    to: "",
    tests: ["test/sandbox/sandbox.test.ts: says at its own address what it is, and where to read more"],
  },
  {
    what: "a value has the name of another trait's",
    file: "packages/verify-page/content/traitWords.ts",
    from: "`${trait} ${value}`",
    to: "`badge ${value}`",
    tests: [
      "test/web/traitWords.test.ts: names a trait's value where the value has a name, and never by another trait's name",
    ],
  },
  {
    what: "a person who has stored an account without an app is shown as back at an earlier step",
    file: "packages/verify-page/page/Top.tsx",
    from: "page.app !== undefined && ",
    to: "",
    tests: ["test/web/verify/journey.long.test.ts: lists a wallet's accounts, and deletes one for good"],
  },
  {
    what: "the sandbox says what is wrong with its form one by one",
    file: "packages/dev/sandbox/internal/form.ts",
    from: "throw new FormProblems(problems);",
    to: "throw new FormProblems(problems.slice(0, 1));",
    tests: [
      "test/web/verify/around.long.test.ts: has a sandbox that takes a test user, and says all that is wrong with one at once",
    ],
  },
  {
    what: "a person who has denied access has two ways back that look alike",
    file: "packages/verify-page/page/Failed.tsx",
    from: "page.app === undefined || page.overview",
    to: "page.app !== undefined || page.overview",
    tests: [
      "test/web/verify/journey.long.test.ts: has two ways on from a denial, where the app takes one provider's account alone",
    ],
  },
  {
    what: "a link of an app's that does not work leads nowhere",
    file: "packages/verify-page/page/Broken.tsx",
    from: "href={location.pathname}",
    to: "href={location.href}",
    tests: [
      "test/web/verify/journey.long.test.ts: is an error page for an address that it refuses, and for a provider that it does not know",
    ],
  },
  {
    what: "another account of a wrong wallet can be chosen, though the app asks for none of them",
    file: "packages/verify-page/page/SignIn.tsx",
    from: "        <OtherWallet\n",
    to: "        {choice}\n        <OtherWallet\n",
    tests: ["test/web/verify/wallets.long.test.ts"],
  },
  {
    what: "the sandbox answers a wrong form with a page that Back cannot show again",
    file: "packages/dev/sandbox/internal/routes.ts",
    from: "response.redirect(303, request.originalUrl);",
    to: "sendSignIn(response.status(400), { connector, accounts, ...visit });",
    tests: [
      "test/sandbox/sandbox.test.ts: answers a wrong form with a redirect, so that Back and reload show its page again",
    ],
  },
  {
    what: "a provider's page has no heading to start at",
    file: "packages/dev/sandbox/internal/page.ts",
    from: 'html`<h1 tabindex="-1" autofocus>',
    to: "html`<h1>",
    tests: ["test/web/verify/everyStep.long.test.ts"],
  },
  {
    what: "an operator's yellow is the colour of text on white",
    file: "signer/pages/accent.ts",
    from: "if (contrast(mixed, ground) >= enough) return mixed;",
    to: "return mixed;",
    tests: [
      "test/signer/http/brand.test.ts: has a colour that can be read on every page and button, in the light and in the dark",
    ],
  },
  {
    what: "an operator's logo runs scripts in a tab of its own",
    file: "signer/internal/http/brand.ts",
    from: "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
    to: "frame-ancestors 'none'",
    tests: ["test/signer/http/brand.test.ts"],
  },
  {
    what: "the verify page has the operator's name, and our mark",
    file: "packages/verify-page/page/brand.ts",
    from: '(".mark.own")?.src',
    to: '(".mark.none")?.src',
    tests: [
      "test/web/verify/around.long.test.ts: shows the operator's name, logo and colour on every screen, and from the start",
    ],
  },
  {
    what: "the landing page shows a revert that nobody gets",
    file: "docs/index.md",
    from: "IdentityAlreadyUsed(",
    to: "NotSigner(",
    tests: [
      "test/docs/landing.test.ts: shows the revert as Hardhat writes it, when the second wallet of a person claims",
    ],
  },
  {
    what: "the story on the landing page stops at its first claim",
    file: "docs/.vitepress/theme/playableStory.ts",
    from: "this.#told = next === undefined ? 0 : this.#told + 1;",
    to: "this.#told = next === undefined ? 0 : 1;",
    tests: [
      "test/docs/site.long.test.ts: plays the story on its first page with recorded answers, and asks nobody",
    ],
  },
  {
    what: "a row of the sandbox looks like a button, and is none",
    file: "packages/dev/sandbox/internal/page.ts",
    from: 'li.card > button::after { content: "";',
    to: "li.card > button::after {",
    tests: [
      "test/web/verify/around.long.test.ts: has a sandbox in which the whole row of a test user can be clicked",
    ],
  },
  {
    what: "providers have letters for marks",
    file: "packages/verify-page/page/Prove.tsx",
    from: "icon={iconOf(name)}",
    to: "",
    tests: ["test/web/verify/around.long.test.ts: gives each provider a mark of its own beside its name"],
  },
  {
    what: "a second browser asks for the demo's accounts one by one",
    file: "packages/dev/demo/chain.ts",
    from: 'const counts = await node.requestAll(accounts.map((account) => ({ method, params: [account, "pending"] })));',
    to: 'const counts: unknown[] = [];\n  for (const each of accounts) counts.push(await node.request({ method, params: [each, "pending"] }));',
    tests: [
      "test/web/demo/slowLine.long.test.ts: draws at once where others were first, and deploys only what is claimed from",
    ],
  },
  {
    what: "the browser's Back from the verify page says nothing",
    file: "packages/dev/demo/state.ts",
    from: 'const error = query.size === 0 ? "cancelled"',
    to: 'const error = query.size < 0 ? "cancelled"',
    tests: [
      "test/web/demo/story.long.test.ts: leads to the claim that was left, and says that no account was proven",
    ],
  },
  {
    what: "the demo goes on for a link of somebody else's, with another state",
    file: "packages/dev/demo/state.ts",
    from: 'if (query.size > 0 && query.get("state") !== state)',
    to: 'if (query.size > 0 && query.get("state") === null)',
    tests: [
      "test/web/demo/demo.long.test.ts: does not believe an address that says success but has another's state",
    ],
  },
  {
    what: "what came of a claim of the demo is forgotten when the next one begins",
    file: "packages/dev/demo/state.ts",
    from: "claims: { ...demo.claims, [claim]: phase },",
    to: "claims: { [claim]: phase },",
    tests: [
      "test/web/demo/story.long.test.ts: admits Alice once, refuses her second wallet and Bob, and starts over, on ${device}",
    ],
  },
  {
    what: "the verify page calls an app by its host though the operator gave it a name",
    file: "packages/verify-page/page/App.tsx",
    from: "name ?? new URL(origin).host",
    to: "new URL(origin).host",
    tests: [
      "test/web/verify/around.long.test.ts: calls an app by the name that the operator gave its origin",
    ],
  },
  {
    what: "the name of an app turns around the text beside it",
    file: "signer/internal/config/settings.ts",
    from: "/^\\P{C}{1,40}$/u",
    to: "/^.{1,40}$/u",
    tests: ["test/signer/config/config.test.ts"],
  },
  {
    what: "signing in leads on to a provider for a wallet that no app asked for",
    file: "packages/verify-page/page/SignIn.tsx",
    from: "overview.askedWallet === wallet && another",
    to: "another",
    tests: ["test/web/verify/everyStep.long.test.ts"],
  },
  {
    what: "the demo has people check their connection to a service on their machine",
    file: "packages/dev/demo/texts.tsx",
    from: "troubles: { ...troubles, unreachable:",
    to: "troubles: { unreachable: '', ...troubles, other:",
    tests: [
      "test/web/demo/demo.long.test.ts: counts a vote, finds the account too old for a new ballot, and goes on once it is proven again",
    ],
  },
  {
    what: "the demo's cards push what is below them out of its place as they come",
    file: "packages/dev/demo/style.css",
    from: "  min-height: 100svh;\n",
    to: "",
    tests: ["test/web/demo/slowLine.long.test.ts"],
  },
  {
    what: "the pages that a test has built are larger than those of the npm package, and tell the paths of a clone",
    file: "packages/verify-page/bundle.ts",
    from: ", development: false",
    to: "",
    tests: ["test/web/bundles.test.ts"],
  },
];

export const faults: readonly Fault[] = [...withstood, ...others];
