import type { Request, Response } from "express";
import { catalogue, type TraitType } from "../../protocol/catalogue.ts";
import type { Language } from "../../protocol/languages.ts";
import { isTraitValue } from "../../protocol/traits.ts";
import { css, type Html, html } from "../../signer/pages/html.ts";
import { languageOf, sendPlainPage } from "../../signer/pages/plainPage.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import { type SandboxTexts, sandboxTexts } from "./texts.ts";

/** Says something in the language of whoever reads it. */
export type Sentence = (texts: SandboxTexts) => string;

/**
 * Sends the page on which a person signs in as a test user, or creates one.
 *
 * @param app Host of the app that asks, where the person goes on.
 * @param problem What was wrong with the form as it was sent, for the person to read.
 */
export function sendSignIn(
  request: Request,
  response: Response,
  input: { connector: Connector; accounts: SandboxAccounts; app: string; problem?: Sentence },
): void {
  const { connector, accounts, app, problem } = input;
  const { label } = connector;
  const traits = [...(catalogue.get(connector.name) ?? [])];
  send(request, response, connector, (texts, language) => ({
    title: texts.title(label),
    body: html`<h1>${texts.title(label)}</h1>
<p>${texts.standsIn}</p>
${problem && html`<p role="alert" class="problem" tabindex="-1" autofocus>${problem(texts)}</p>`}
<p>${texts.asks(app)}</p>
<ul class="asked">${[texts.accountId.toLowerCase(), ...traits.map(([trait]) => wordsOf(trait, texts))].map((asked) => html`<li>${asked}</li>`)}</ul>
<h2>${texts.signInAs}</h2>
<form method="post"><input type="hidden" name="action" value="pick">
<ul>${[...accounts.values()].map((account) => renderAccount(account, traits, texts, language))}</ul>
</form>
<form method="post"><button class="quiet" name="action" value="refuse">${texts.deny}</button></form>
<form method="post">
<details class="card"${problem && html` open`}><summary>${texts.create}</summary>
<p><label for="id">${texts.accountId} <small>${texts.changes}</small></label><input id="id" name="accountId"></p>
<p><label for="name">${texts.name}</label><input id="name" name="name"></p>
${traits.map(([trait, { type }]) => renderField(trait, type, texts))}
<button class="quiet" name="action" value="invent">${texts.continueAsCreated}</button></details>
</form>`,
  }));
}

/** Sends a page that says why nobody can sign in. */
export function sendRefusal(
  request: Request,
  response: Response,
  { connector, title, says }: { connector: Connector; title: Sentence; says: Sentence },
): void {
  send(request, response, connector, (texts) => ({
    title: title(texts),
    body: html`<h1>${title(texts)}</h1><p>${says(texts)}</p>`,
  }));
}

/** Sends a page for an address at which there is none. */
export function sendNotFound(request: Request, response: Response): void {
  const language = languageOf(request);
  const { sandbox, madeUp, lostTitle, lost } = sandboxTexts[language];
  sendPlainPage(response, {
    ...{ language, where: sandbox, host: madeUp, title: lostTitle, style: style(hueOf("sandbox")) },
    body: html`<h1>${lostTitle}</h1><p>${lost}</p>`,
  });
}

function send(
  request: Request,
  response: Response,
  { name, label }: Connector,
  write: (texts: SandboxTexts, language: Language) => { title: string; body: Html },
): void {
  const language = languageOf(request);
  // The choice holds for the next sign-in, too.
  if (request.query.language !== undefined) response.cookie("language", language, { httpOnly: true });
  const texts = sandboxTexts[language];
  const hue = hueOf(name);
  sendPlainPage(response, {
    ...{ language, where: label, host: texts.madeUp, ...write(texts, language) },
    mark: html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><text x="16" y="23" text-anchor="middle">${label.slice(0, 1)}</text></svg>`,
    style: style(hue),
    // Forms may end at any port of this machine.
    formAction: "'self' http://127.0.0.1:* http://localhost:*",
  });
}

/** Gives each provider a colour of its own: degrees. */
const hueOf = (name: string): number =>
  [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;

type TraitTypes = readonly (readonly [name: string, { readonly type: TraitType }])[];

function renderAccount(
  { accountId, name, traits }: SandboxAccount,
  types: TraitTypes,
  texts: SandboxTexts,
  language: Language,
): Html {
  const says = types.map(([trait, { type }]) => summarise(trait, type, traits[trait], texts, language));
  const raw = [["id", accountId], ...types.map(([trait]) => [trait, traits[trait] ?? texts.missing])];
  return html`<li class="card"><button name="pick" value="${accountId}">${texts.continueAs(name)}</button>
<p>${says.join(" · ")}</p>
<details><summary>${texts.raw}</summary><p><code>${raw.map((pair) => pair.join(": ")).join(", ")}</code></p></details></li>`;
}

/** "followers" of "followers_count", "videos" of "video_count". */
const wordsOf = (trait: string, { words }: SandboxTexts): string =>
  words[trait] ??
  trait
    .replaceAll("_", " ")
    .replace(/(?<=s|ing) count$/, "")
    .replace(/ count$/, "s");

/** A trait as a person would say it: 1,200 followers, verified. */
function summarise(
  trait: string,
  type: TraitType,
  value: string | undefined,
  texts: SandboxTexts,
  language: Language,
): string {
  const words = wordsOf(trait, texts);
  if (value === undefined) return `${words}: ${texts.missing}`;
  // A test may give an account what no provider would say.
  if (!isTraitValue(type, value)) return `${words}: ${value}`;
  if (type === "int") return `${BigInt(value).toLocaleString(language)} ${words}`;
  if (type === "bool") return value === "true" ? words : texts.not(words);
  return `${words}: ${value}`;
}

function renderField(trait: string, type: string, { missing }: SandboxTexts): Html {
  const id = ["t", trait].join("-");
  const name = ["trait", trait].join(".");
  const label = html`<label for="${id}">${trait} <small>${type}</small></label>`;
  if (type === "bool") {
    const options = ["true", "false"].map((value) => html`<option value="${value}">${value}</option>`);
    return html`<p>${label}<select id="${id}" name="${name}"><option value="">${missing}</option>${options}</select></p>`;
  }
  const keyboard = type === "int" ? html` inputmode="numeric"` : undefined;
  return html`<p>${label}<input id="${id}" name="${name}" placeholder="${missing}"${keyboard}></p>`;
}

// The provider's own colour in place of the service's: this page stands in for another site.
const style = (hue: number) => css`
:root { --accent: light-dark(hsl(${hue} 55% 28%), hsl(${hue} 75% 80%));
  --on-accent: light-dark(#ffffff, hsl(${hue} 60% 12%)); }
header { border-top: 4px solid var(--accent); }
.mark text { fill: var(--on-accent); font-weight: 700; font-size: 1.25rem; }
.host { width: fit-content; padding: 0 .4rem; border: 1px dashed; border-radius: .4rem; font-size: .82rem; }
.problem { border-left: 4px solid var(--bad); padding-left: .9rem; }
.problem:focus { outline: none; }
::placeholder { color: var(--quiet); opacity: 1; }
ul { list-style: none; margin: 0 0 1rem; padding: 0; }
.asked { display: flex; flex-wrap: wrap; gap: .4rem; }
.asked li { padding: 0 .6rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; margin: 0 0 .75rem;
  padding: .9rem 1.1rem; }
details.card { margin-top: 1rem; }
.card > p { margin: .5rem 0 .25rem; }
@media (min-width: 34rem) {
  li.card { display: grid; grid-template-columns: 1fr 14rem; align-items: center; gap: 0 1rem; }
  li.card > button { grid-area: 1 / 2; padding-inline: .5rem; }
  li.card > p { grid-area: 1 / 1; margin: 0; }
  li.card > details { grid-column: 1 / -1; }
}
summary { padding: .35rem 0; cursor: pointer; }
.card > summary { font-weight: 600; }
li summary { color: var(--quiet); font-size: .88rem; }
li details p { margin: 0; }
h2 { font-size: 1.15rem; margin: 1.25rem 0 .6rem; }
small { color: var(--quiet); }
p label { display: block; }
input:not([type=hidden]), select { width: 100%; min-height: 2.75rem; font: inherit; color: inherit;
  background: var(--page); border: 1px solid var(--quiet); border-radius: .6rem; padding: .4rem .75rem; }
`;
