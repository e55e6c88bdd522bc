import type { Fault } from "./fault.ts";

/** Faults in the defences that SECURITY.md names, beside those in the other lists: each of its tests has one. */
export const faults: readonly Fault[] = [
  {
    what: "an identity has one hash on every chain",
    file: "protocol/identityHash.ts",
    from: "uintWord(chainId)",
    to: "uintWord(1)",
    tests: ["test/protocol/identityHash.test.ts"],
  },
  {
    what: "an identity has one hash at every consumer",
    file: "protocol/identityHash.ts",
    from: "addressWord(consumer)",
    to: 'addressWord("0x".padEnd(42, "0"))',
    tests: [
      "test/signer/service/verification.test.ts: gives one account the same identity from any wallet, and another one at another consumer",
    ],
  },
  {
    what: "a verification outlives a change of the contract's conditions",
    file: "signer/internal/service/issueVerification.ts",
    from: "hashPolicy(consumer, input.onchain.encoded)",
    to: 'hashPolicy(consumer, { ...input.onchain.encoded, conditions: "0x" })',
    tests: [
      "test/signer/service/hostileConsumers.test.ts: gives a verification that nobody can use when a contract changes its policy",
    ],
  },
  {
    what: "a second signature can be made from a first",
    file: "protocol/signature.ts",
    from: "if (v === undefined || s.toLowerCase() > halfOrder) return undefined;",
    to: "if (v === undefined || s.length > halfOrder.length) return undefined;",
    tests: [
      "test/signer/curve/curve.test.ts: recovers what ethers recovers, and nothing from what is no canonical signature",
    ],
  },
  {
    what: "native code that signs or recovers wrongly is used",
    file: "signer/internal/curve/curve.ts",
    from: 'return demandRight(createCurve("native", openNative(), hashes));',
    to: 'return createCurve("native", openNative(), hashes);',
    tests: [
      "test/signer/curve/choice.test.ts: is WebAssembly where the native code signs or recovers wrongly",
    ],
  },
  {
    what: "a factory says who owns a wallet that is deployed",
    file: "chain/signature.ts",
    from: 'const look = { target: check.target, data: "0x"',
    to: 'const look = { target: "0x".padEnd(42, "e"), data: "0x"',
    tests: ["test/chain/signature.test.ts"],
  },
  {
    what: "a factory is asked about a wallet that is deployed",
    file: "chain/signature.ts",
    from: "if (deployment === undefined || answer?.hasCode !== false) return isAccepted(answer);",
    to: "if (deployment === undefined) return isAccepted(answer);\n  if (answer?.hasCode) return true;",
    tests: [
      "test/signer/verify/link.test.ts: lets no factory sign in as a wallet that is deployed, by changing in a simulation who owns it",
    ],
  },
  {
    what: "a node that fails makes a signature wrong",
    file: "chain/signature.ts",
    from: "() => boundedCalls(node, [check]));",
    to: "() => boundedCalls(node, [check]).catch(() => []));",
    tests: [
      "test/signer/service/chainUnavailable.test.ts: gives chain_unavailable, and no verdict, for a contract wallet's signature",
    ],
  },
  {
    what: "what was read long ago is signed for",
    file: "signer/internal/service/issueVerification.ts",
    from: "if (reading.age() <= maxAge) return signed;",
    to: "return signed;",
    tests: [
      "test/signer/service/freshness.test.ts: counts when what was read before is more than two seconds old as the answer leaves",
    ],
  },
  {
    what: "what was read of a contract in demand is given out for a minute",
    file: "chain/consumer.ts",
    from: "lasts: 1_000,",
    to: "lasts: 60_000,",
    tests: [
      "test/signer/service/demand.test.ts: is held to a cutoff that moved a second ago, whatever was read before",
      "test/signer/service/demand.test.ts: is answered for from one reading for a second, and for no longer",
    ],
  },
  {
    what: "a tab that was left open stores an account that it has not shown",
    file: "signer/internal/verify/session.ts",
    from: "    found.id !== shown.proof ||\n",
    to: "",
    tests: [
      "test/signer/verify/tabs.test.ts: store the account that was shown, not one that the same wallet has proven since",
    ],
  },
  {
    what: "a session of one chain opens at another one's service",
    file: "signer/internal/verify/session.ts",
    from: "const place = [chainId, registry, verifyUrl];",
    to: "const place = [registry !== verifyUrl && chainId > 0];",
    tests: [
      "test/signer/verify/places.test.ts: open no session that was begun for another chain, registry or page",
    ],
  },
  {
    what: "a callback counts in another browser's session",
    file: "signer/internal/verify/callback.ts",
    from: "    isOfSession(proof, session) &&\n",
    to: "",
    tests: ["test/signer/verify/oauth.test.ts"],
  },
  {
    what: "a callback counts at another provider than it was started for",
    file: "signer/internal/verify/callback.ts",
    from: "    proof.provider === request.params.provider &&\n",
    to: "",
    tests: ["test/signer/verify/oauth.test.ts: does not count at another provider's callback"],
  },
  {
    what: "two kilobytes of every request stay in memory",
    file: "signer/internal/http/requestNotes.ts",
    from: "  Object.assign(response, { locals: start });",
    to: "  Object.assign(response, { locals: start });\n  Object.assign(note, { [start.requestId]: Array.from({ length: 256 }, Math.random) });",
    tests: ["test/signer/http/fuzz.long.test.ts: keeps nothing of what it was asked"],
  },
  {
    what: "one wallet is asked about without end",
    file: "signer/internal/service/issueVerification.ts",
    from: "  service.limitWallet(signIn.wallet, signIn.consumer);\n",
    to: "",
    tests: [
      "test/signer/service/walletLimit.test.ts: counts what the wallet signed, wherever it comes from, and nothing that somebody else sends",
    ],
  },
  {
    what: "scripts of other pages read what the verify page says",
    file: "signer/internal/verify/guards.ts",
    from: '"Cross-Origin-Resource-Policy": "same-origin",',
    to: '"Cross-Origin-Resource-Policy": "cross-origin",',
    tests: ["test/signer/verify/requests.test.ts: tell nothing to scripts of other pages"],
  },
  {
    what: "what is deleted stays in the database's file",
    file: "signer/internal/database/sqlite.ts",
    from: "PRAGMA secure_delete = ON",
    to: "PRAGMA secure_delete = OFF",
    tests: [
      "test/signer/verify/erase.test.ts: leaves nothing of it in the database's files, while the service runs",
    ],
  },
  {
    what: "a crash writes the keys to a core file",
    file: "signer/cli/coreFiles.ts",
    from: '"--core=0:0"',
    to: '"--core"',
    tests: [
      "test/signer/credentials/plantedValues.long.test.ts: is in no database, copy of it, export, audit entry, log, metric or core file, with ${engine}",
    ],
  },
  {
    what: "the log has what a client sent",
    file: "signer/internal/http/requestLog.ts",
    from: "          method: request.method,\n",
    to: "          method: request.method,\n          headers: request.headers,\n",
    tests: [
      "test/signer/monitoring/log.test.ts: never holds what a client sent, what is known of an account, or a secret",
    ],
  },
  {
    what: "a provider has a minute for each answer",
    file: "signer/internal/verify/callback.ts",
    from: "const timeout = 10;",
    to: "const timeout = 60;",
    tests: ["test/signer/verify/failure.test.ts: has ten seconds for each answer"],
  },
  {
    what: "a provider answers fifty megabytes",
    file: "signer/internal/providers/providerFetch.ts",
    from: "const maxBytes = 1_000_000;",
    to: "const maxBytes = 50_000_000;",
    tests: ["test/signer/providers/failure.test.ts: has a megabyte for an answer, and not a byte more"],
  },
  {
    what: "cookies tell who has signed in",
    file: "signer/internal/verify/sealedCookie.ts",
    from: '.setProtectedHeader({ alg: "dir", enc: "A256GCM" })',
    to: '.setProtectedHeader({ alg: "dir", enc: "A256GCM", ...(value as object) })',
    tests: ["test/signer/verify/session.test.ts: tell nothing to who reads them"],
  },
  {
    what: "a body of 64 kB is read",
    file: "signer/internal/http/jsonBody.ts",
    from: "const maxBody = 16 * 1024;",
    to: "const maxBody = 64 * 1024;",
    tests: [
      "test/signer/http/http.test.ts: answers payload_too_large beyond 16 kB, whatever the length is said to be",
    ],
  },
  {
    what: "every address of an IPv6 network is a client of its own",
    file: "signer/internal/network/clientAddress.ts",
    from: "const networkBytes = 7;",
    to: "const networkBytes = 16;",
    tests: [
      "test/signer/http/flood.test.ts: from one IPv6 network counts as one client's, however many addresses it has",
    ],
  },
  {
    what: "one client takes all of the node's gas",
    file: "signer/internal/service/service.ts",
    from: "  share: 3_000_000,",
    to: "  share: 40_000_000,",
    tests: [
      "test/signer/http/overload.test.ts: takes a share of the node's gas, and is refused when it has waited for more too long",
      "test/signer/http/overload.test.ts: has one contract read at a time, however many it names",
    ],
  },
  {
    what: "a client has a minute for its headers",
    file: "signer/internal/http/server.ts",
    from: "headersTimeout: 10_000",
    to: "headersTimeout: 60_000",
    tests: [
      "test/signer/http/server.test.ts: gives a client ten seconds for its headers, twenty for a request, and thirty to take an answer",
    ],
  },
  {
    what: "development secrets sign when another node takes the local one's place",
    file: "signer/internal/service/readiness.ts",
    from: "if (input.development && !(await input.isLocal())) {",
    to: "if (input.development && false) {",
    tests: [
      "test/signer/service/readiness.test.ts: sign nothing any more when another node takes the local one's place",
    ],
  },
  {
    what: "a node that says that it is local grants something to a service with real secrets",
    file: "signer/internal/service/localPrivileges.ts",
    from: "return async () => development && (await isLocal());",
    to: "return async () => (development, await isLocal());",
    tests: [
      "test/signer/service/localPrivileges.test.ts: has neither its URL told to strangers, nor apps on loopback returned to",
      "test/signer/service/localPrivileges.test.ts: makes no provider on plain http acceptable",
      "test/signer/service/localPrivileges.test.ts: makes no plain http acceptable by which browsers reach the service",
    ],
  },
  {
    what: "a service loads the sandbox",
    file: "signer/internal/startSigner.ts",
    from: 'import { connectChain } from "../../chain/connect.ts";\n',
    to: 'import { connectChain } from "../../chain/connect.ts";\nimport "../../sandbox/sandbox.ts";\n',
    tests: [
      "test/sandbox/leftOut.test.ts: the service runs with its verify page, and has loaded nothing of the sandbox",
    ],
  },
  {
    what: "an answer does not wait for its entry in the audit trail",
    file: "signer/internal/audit/auditSignatures.ts",
    from: "await trail.enter({ event, chainId, ...signed",
    to: "void trail.enter({ event, chainId, ...signed",
    tests: [
      "test/signer/audit/service.long.test.ts: has an entry for every answer of one that was killed",
      "test/signer/audit/service.test.ts: lets no answer leave before its entry is on the disk",
      "test/signer/audit/service.test.ts: gives nothing away that it could not enter, and goes on when it can",
    ],
  },
  {
    what: "an account counts as another one under another master secret",
    file: "signer/internal/database/properties.ts",
    from: 'const value = await settleOnce(db, "master-secret-check", mine);',
    to: "const value = mine;",
    tests: [
      "test/signer/credentials/credentialStore.test.ts: refuses another master secret, and another chain",
    ],
  },
  {
    what: "a contract wallet's account counts for whoever has its address on another chain",
    file: "signer/internal/database/properties.ts",
    from: 'const own = await settleOnce(db, "chain", String(chainId));',
    to: "const own = String(chainId);",
    tests: ["test/signer/verify/places.test.ts: refuses a store that was made for another chain"],
  },
  {
    what: "a row that is moved to another wallet opens there",
    file: "signer/internal/database/seal.ts",
    from: "JSON.stringify([format, ...place])",
    to: "JSON.stringify([format])",
    tests: [
      "test/signer/credentials/credentialStore.test.ts: does not open a credential whose ${column} was changed in the database",
    ],
  },
  {
    what: "the node is asked twice for one request",
    file: "chain/consumer.ts",
    from: "const [answers, time] = await Promise.all([ask(node, consumer), readChainTime(node, () => local)]);",
    to: "const answers = await ask(node, consumer);\n    const time = await readChainTime(node, () => local);",
    tests: [
      "test/signer/service/hostileConsumers.test.ts: takes one batch for a request, which no other contract's is in",
    ],
  },
  {
    what: "an account that does not meet the conditions counts",
    file: "signer/internal/service/issueVerification.ts",
    from: "if (refusal === undefined) return;",
    to: 'if (refusal?.code !== "needs_reauth") return;',
    tests: [
      "test/signer/service/refusals.test.ts: a credential that does not meet the conditions: conditions_not_satisfied",
    ],
  },
  {
    what: "a message for another chain counts",
    file: "protocol/signIn/check.ts",
    from: "if (!rules.chainIds.includes(message.chainId)) {",
    to: "if (rules.chainIds.length === 0) {",
    tests: [
      "test/signer/service/refusals.test.ts: a message that is not as it must be, whoever signed it: invalid_argument",
    ],
  },
  {
    what: "strangers are told about contracts",
    file: "signer/internal/service/issueVerification.ts",
    from: "  await demandSignature(service, node,",
    to: "  demandPolicy(await service.readConsumer(node, signIn.consumer, spend));\n  await demandSignature(service, node,",
    tests: [
      "test/signer/service/refusals.test.ts: a wrong signature, without a word on contract or credential: invalid_argument",
    ],
  },
  {
    what: "another resource of a message hides the contract",
    file: "protocol/signIn/check.ts",
    from: "if (chain === undefined || address === undefined) continue;",
    to: "if (chain === undefined || address === undefined) break;",
    tests: [
      "test/protocol/signIn.test.ts: finds the one consumer among other resources, however its address is cased",
    ],
  },
  {
    what: "strangers are told which condition failed",
    file: "signer/internal/service/issueVerification.ts",
    from: "(await localPrivileges()) ? developerDetail : detail",
    to: "developerDetail",
    tests: [
      "test/signer/service/policyPins.test.ts: does not read a number out of one signed message by the condition that failed",
    ],
  },
  {
    what: "a contract asks about a trait with one policy after the other",
    file: "signer/internal/service/policyPins.ts",
    from: "        refuseAnotherPolicy(pin, asked);\n",
    to: "        if (pin.policyHash !== asked.policyHash) return true;\n",
    tests: [
      "test/signer/service/policyPins.test.ts: does not read it by what is refused either: another policy is invalid_policy, and told nothing",
    ],
  },
  {
    what: "a cutoff goes up and down as its contract likes",
    file: "signer/internal/service/policyPins.ts",
    from: "if (await localPrivileges()) return true;",
    to: "if ((await localPrivileges()) || cutoffBlock > 0n) return true;",
    tests: [
      "test/signer/service/policyPins.test.ts: does not read the time of authentication out of one signed message",
    ],
  },
  {
    what: "a rise of a cutoff is not counted when another replica was faster",
    file: "signer/internal/service/policyPins.ts",
    from: "if (!(await store.raiseCutoff(pin, raised, requestId))) continue;",
    to: "await store.raiseCutoff(pin, raised, requestId);",
    tests: [
      "test/signer/service/policyPins.test.ts: lets no more rises of the cutoff through when many come at the same time, to several replicas",
    ],
  },
  {
    what: "what a client sends becomes the service's own error",
    file: "signer/internal/http/jsonBody.ts",
    from: 'throw new ServiceError("invalid_argument", "The body is not JSON.");',
    to: 'throw new Error("The body is not JSON.");',
    tests: ["test/signer/http/fuzz.long.test.ts: ${name}, from seed ${seed}"],
  },
  {
    what: "another page frames the verify page",
    file: "signer/internal/verify/guards.ts",
    from: "    \"frame-ancestors 'none'\",\n",
    to: "",
    tests: ["test/web/verify/attacks.long.test.ts: is not shown inside another page"],
  },
  {
    what: "accounts are stored as they are",
    file: "signer/internal/credentials/store.ts",
    from: ".values({ wallet, provider, sealed })",
    to: ".values({ wallet, provider, sealed: JSON.stringify(credential) })",
    tests: [
      "test/signer/credentials/credentials.test.ts: holds neither account id nor traits in any of its files, and nobody else can read these",
    ],
  },
  {
    what: "the length of a row tells how much is known of an account",
    file: "signer/internal/database/seal.ts",
    from: "const block = 256;",
    to: "const block = 1;",
    tests: [
      "test/signer/credentials/credentials.test.ts: has nothing in its rows that two wallets of one person share, nor what tells long traits from short",
    ],
  },
  {
    what: "what was replaced stays in the database's log",
    file: "signer/internal/credentials/store.ts",
    from: "if (replaced === 1n) return await erasure.request();",
    to: "if (replaced === 1n) return;",
    tests: ["test/signer/credentials/credentials.test.ts: erases from its log what was replaced"],
  },
  {
    what: "a deletion waits for whoever reads",
    file: "signer/internal/database/sqlite.ts",
    from: "function checkpoint(database: DatabaseSync): boolean {\n  setBusyTimeout(database, 0);",
    to: "function checkpoint(database: DatabaseSync): boolean {\n  setBusyTimeout(database, busyTimeout);",
    tests: [
      "test/signer/credentials/credentials.test.ts: answers at once when something is deleted, and erases it when the reader ends",
    ],
  },
  {
    what: "the database's log may be read by everybody",
    file: "signer/internal/database/sqlite.ts",
    from: "for (const file of [path, `${path}-wal`, `${path}-shm`]) {",
    to: "for (const file of [path]) {",
    tests: [
      "test/signer/credentials/credentials.test.ts: is refused when others can read or change one of its files",
    ],
  },
  {
    what: "a secret in the place of its file's name is shown",
    file: "signer/internal/files/secretFiles.ts",
    from: "names a file that cannot be read (${code})",
    to: "names a file that cannot be read (${code}, ${file})",
    tests: [
      "test/signer/files/secretFiles.test.ts: is never shown, neither what a file holds nor what was put in the place of its name",
    ],
  },
  {
    what: "a stranger writes to the log",
    file: "signer/internal/providers/oauthErrors.ts",
    from: 'registered.find((known) => known === code) ?? "other"',
    to: "registered.find((known) => known === code) ?? code",
    tests: [
      "test/signer/verify/failure.test.ts: puts no code, token, account id, wallet or cookie into the log, whatever happens",
    ],
  },
  {
    what: "a compressed body is read",
    file: "signer/internal/http/jsonBody.ts",
    from: '.toLowerCase() !== "identity"',
    to: '.toLowerCase() === "none"',
    tests: [
      "test/signer/http/http.test.ts: answers unsupported_media_type to what is not JSON in UTF-8, or is compressed",
    ],
  },
  {
    what: "another path of the API does something",
    file: "signer/internal/app.ts",
    from: "  app.use(otherVerificationRequests(answerVerification));\n",
    to: '  app.use(otherVerificationRequests(answerVerification));\n  app.post("/v1", (_request, response) => void response.status(201).end());\n',
    tests: ["test/signer/http/http.test.ts: answers not_found to any other path"],
  },
  {
    what: "a client is told to come back at once",
    file: "signer/internal/limits/limiter.ts",
    from: "const reset = Math.ceil(((now + 1) * minute - passed) / 1000);",
    to: "const reset = 0 * now;",
    tests: ["test/signer/http/rateLimit.test.ts: answers rate_limited, and when to come back"],
  },
  {
    what: "X-Forwarded-For is believed, whoever sends it",
    file: "signer/internal/network/clientAddress.ts",
    from: 'trusts(own, hop) && said !== ""',
    to: 'said !== ""',
    tests: [
      "test/signer/http/rateLimit.test.ts: counts by the connection's address, whatever X-Forwarded-For says",
    ],
  },
  {
    what: "every port of a client is a client of its own",
    file: "signer/internal/network/clientAddress.ts",
    from: 'own.replace(/^\\[(.*)\\](?::\\d+)?$|^([\\d.]+):\\d+$/, "$1$2")',
    to: "own",
    tests: [
      "test/signer/http/rateLimit.test.ts: counts a client once behind a proxy that writes down ports, too",
    ],
  },
  {
    what: "every request for the page reads it from the disk",
    file: "signer/pages/assets.ts",
    from: "return send(readAssets(folder));",
    to: "return (...request) => send(readAssets(folder))(...request);",
    tests: [
      "test/signer/http/flood.test.ts: of requests for the page opens no file: all of them are read once",
    ],
  },
  {
    what: "headers of 64 kB are read",
    file: "signer/internal/http/server.ts",
    from: "createServer(limits)",
    to: "createServer({ ...limits, maxHeaderSize: 65_536 })",
    tests: ["test/signer/http/flood.test.ts: of headers is cut off at 16 kB"],
  },
  {
    what: "all clients wait for the node in one line",
    file: "signer/internal/service/service.ts",
    from: "gasInFlight.run(client, gas, ask)",
    to: 'gasInFlight.run(client && "all", gas, ask)',
    tests: [
      "test/signer/http/overload.test.ts: does not keep another client waiting until all of it is done",
    ],
  },
  {
    what: "a client that sent no request keeps its connection",
    file: "signer/internal/http/server.ts",
    from: "setTimeout(() => socket.destroy(), lingerLimit).unref();",
    to: "void lingerLimit;",
    tests: [
      "test/signer/http/server.test.ts: keeps no connection of a client that neither says anything nor leaves",
    ],
  },
  {
    what: "each look at readiness asks the node",
    file: "signer/internal/service/readiness.ts",
    from: "const keepFor = 1_000;",
    to: "const keepFor = 0;",
    tests: [
      "test/signer/service/readiness.test.ts: asks the node once a second at most, and once for all who wait",
    ],
  },
  {
    what: "development secrets serve a public chain",
    file: "signer/internal/service/secrets.ts",
    from: "if (builtIn.length > 0 && !(await askWhetherLocal(chain, builtIn))) {",
    to: "if (builtIn.length > 0 && (await askWhetherLocal(chain, builtIn)) === undefined) {",
    tests: [
      "test/signer/service/readiness.test.ts: are refused on a node that is not local, and what to set instead is named",
    ],
  },
  {
    what: "a public master secret is used beside a signing key of one's own",
    file: "signer/internal/service/secrets.ts",
    from: "builtIn.length < Object.keys(isBuiltIn).length",
    to: "builtIn.length > Object.keys(isBuiltIn).length",
    tests: [
      "test/signer/service/readiness.test.ts: are refused next to one of one's own, also on a node that says that it is local",
    ],
  },
  {
    what: "a provider sends the access token elsewhere",
    file: "signer/internal/providers/providerFetch.ts",
    from: 'redirect: "manual",',
    to: 'redirect: "follow",',
    tests: [
      "test/signer/providers/failure.test.ts: sends us elsewhere with the access token, where we do not go",
    ],
  },
  {
    what: "a row of the trail may be dated and placed anew",
    file: "signer/internal/audit/chain.ts",
    from: 'hash("row", writer, number, writtenAt, entries, previous)',
    to: 'hash("row", writer, entries, previous.slice(64))',
    tests: [
      "test/signer/audit/verify.test.ts: does not hold, ${what}, and tells which row",
      "test/signer/audit/verify.test.ts: does not hold when two entries have changed places",
    ],
  },
  {
    what: "the end of a chain may be removed",
    file: "signer/internal/audit/verifyTrail.ts",
    from: "if (!(await isThere(rows, seal, head))) {",
    to: "if (head === undefined) {",
    tests: [
      "test/signer/audit/verify.test.ts: does not hold without the end of a chain that another one has seen, nor without the whole of it",
    ],
  },
  {
    what: "a row that was noted elsewhere may be missing",
    file: "signer/internal/audit/verifyTrail.ts",
    from: "  for (const hash of missing) problems.push(`No row has the hash ${hash}.`);\n",
    to: "",
    tests: [
      "test/signer/audit/verify.test.ts: tells of a chain without an end, and misses a row whose hash was noted elsewhere",
    ],
  },
  {
    what: "the audit trail says whose an identity is",
    file: "signer/internal/audit/auditSignatures.ts",
    from: "...(wallets ? { wallet } : {})",
    to: "...(wallets ? {} : { wallet })",
    tests: [
      "test/signer/audit/service.test.ts: has an entry for what it signed, and in none a wallet beside an identity hash",
    ],
  },
  {
    what: "a flood from many addresses fills the memory",
    file: "signer/internal/limits/boundedMap.ts",
    from: "if (this.size > this.#atMost) this.delete(this.keys().next().value as Key);",
    to: "",
    tests: ["test/signer/limits/limiter.test.ts: forgets the oldest of too many clients"],
  },
  {
    what: "a message of 8 kB is read",
    file: "protocol/signIn/limit.ts",
    from: "maxMessageBytes = 4_096",
    to: "maxMessageBytes = 8_192",
    tests: ["test/protocol/signIn.test.ts: is refused above 4 096 bytes, whatever is wrong with it besides"],
  },
  {
    what: "a callback that was made for somebody else ends the person's own sign-in",
    file: "signer/internal/verify/callback.ts",
    from: "isEqual(proof.state, request.query.state);",
    to: "isEqual(proof.state, proof.state);",
    tests: [
      "test/signer/verify/oauth.test.ts: counts in no other browser, signed in or not: nobody proves an account for somebody else",
    ],
  },
  {
    what: "every signature counts, whoever signed what for whom",
    file: "contracts/SignerRegistry.sol",
    from: "if (!_signers.contains(signer)) revert NotSigner(signer);",
    to: "if (signer == address(0)) revert NotSigner(signer);",
    tests: [
      "test/contracts/SignerRegistry.invariants.t.sol: invariant_NobodyButTheNamedUserAtTheNamedConsumerOnTheNamedChainIsAccepted",
    ],
  },
  {
    what: "retention looks for old rows behind young ones",
    file: "signer/internal/audit/retention.ts",
    from: "if (problem !== undefined || row.writtenAt >= time) break;",
    to: "if (row.writtenAt >= time) continue;",
    tests: [
      "test/signer/audit/retention.test.ts: removes nothing by a date that somebody else wrote: all entries stay, and the altered row is named",
    ],
  },
];
