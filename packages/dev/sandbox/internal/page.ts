import { catalogue, type TraitType } from "@hardhat-identity/protocol/catalogue";
import type { Language } from "@hardhat-identity/protocol/languages";
import type { Connector } from "@hardhat-identity/verify-page/connectors/connector";
import { project } from "@hardhat-identity/verify-page/content/project";
import { providerGround, providerMark } from "@hardhat-identity/verify-page/content/providerMarks";
import { nameTrait, traitWords, writeTrait } from "@hardhat-identity/verify-page/content/traitWords";
import { css, Html, html } from "@hardhat-identity/verify-page/html/html";
import { sendPlainPage } from "@hardhat-identity/verify-page/html/plainPage";
import type { Request, Response } from "express";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import { failuresOf } from "./failures.ts";
import type { SandboxTexts } from "./texts/en.ts";
import { chooseLanguage, sandboxTexts } from "./texts.ts";

/** One sign-in at a provider. */
export interface SignIn {
  /** The page where the person goes on. */
  readonly app: URL;
  isAnswered: boolean;
  /** The language of its pages. */
  readonly language: Language;
  mistake?: Mistake;
}

/** The form as it was last sent and could not be taken, and why. */
interface Mistake {
  readonly problems: readonly FieldProblem[];
  readonly form: Readonly<Record<string, unknown>>;
}

/** The sign-ins that apps have started at any provider. */
export interface SignIns {
  last?: SignIn;
  /** By the id of a sign-in. */
  readonly all: Map<string, SignIn>;
}

/** A problem with a submitted form, and the name of its field, if it concerns one. */
export interface FieldProblem {
  readonly says: string;
  readonly field?: string;
}

/** Sends the page on which a person signs in as a test user, or creates one. */
export function sendSignIn(
  response: Response,
  input: SignIn & { connector: Connector; accounts: SandboxAccounts },
): void {
  const { connector, accounts, app, mistake, language } = input;
  const texts = sandboxTexts[language];
  const words = traitWords[language];
  const people = [...accounts.values()].filter(({ failure }) => failure === undefined);
  const { problems, form }: Mistake = mistake ?? {
    problems: [],
    form: { accountId: findFreeId(accounts) },
  };
  const [first] = problems;
  const isCreating = first?.field !== undefined;
  const { label } = connector;
  const traits = [...(catalogue.get(connector.name) ?? [])];
  const field = (name: string, label: Html, type?: TraitType) => {
    const problem = problems.find((each) => each.field === name);
    const takesFocus = problem !== undefined && problem === first;
    return renderField({
      name,
      label,
      type,
      value: String(form[name] ?? ""),
      wrong: problem?.says,
      takesFocus,
      language,
    });
  };
  send(response, connector, language, {
    title: texts.title(label),
    body: html`${first ? html`<h1>${texts.title(label)}</h1>` : renderHeading(texts.title(label))}
${first && first.field === undefined ? html`<p role="alert" class="problem" tabindex="-1" autofocus>${first.says}</p>` : undefined}
<div class="asks"><p id="asks">${texts.asks(app.host)}</p>
<ul class="asked" aria-labelledby="asks">${[texts.accountId, ...traits.map(([trait]) => nameTrait(trait, words))].map((asked) => html`<li>${asked}</li>`)}</ul></div>
<h2>${texts.choose}</h2>
<form method="post"><input type="hidden" name="action" value="pick">
<ul>${people.map((account, i) => renderAccount(account, traits, i === 0 && !isCreating, language))}</ul>
</form>
<form method="post" class="deny"><button class="quiet" name="action" value="refuse">${texts.deny}</button></form>
<form method="post">
<details class="card"${isCreating ? html` open` : undefined}><summary>${texts.create}</summary>
${field("accountId", html`${texts.accountId} <small>${texts.replaces}</small>`)}
${field("name", html`${texts.name}`)}
${traits.map(([trait, { type }]) => field(`trait.${trait}`, html`${nameTrait(trait, words)}`, type))}
<button${isCreating ? undefined : html` class="quiet"`} name="action" value="invent">${texts.continueAsCreated}</button></details>
</form>
<details class="card"><summary>${texts.failing.title}</summary><p>${texts.failing.what}</p>
<form method="post" class="failures">${failuresOf(connector).map((failure) => html`<button class="quiet" name="failure" value="${failure}">${texts.failing[failure]}</button>`)}</form></details>
<details class="raw"><summary>${texts.raw}</summary>${people.map(renderRaw)}</details>`,
  });
}

/**
 * Sends a page that says why nobody can sign in.
 *
 * @param reason Shown to the app's developer.
 * @param app Where to start again, if it is known.
 */
export function sendRefusal(
  response: Response,
  input: {
    connector: Connector;
    language: Language;
    title: string;
    says: string;
    reason?: string;
    app?: URL | undefined;
  },
): void {
  const { connector, language, title, says, reason, app } = input;
  const texts = sandboxTexts[language];
  send(response, connector, language, {
    title,
    body: html`${renderHeading(title)}<p>${says}</p>
${reason && html`<p><small>${texts.forDevelopers} ${reason}</small></p>`}
${app && html`<p><a class="button" href="${app.href}">${texts.goTo(app.host)}</a></p>`}`,
  });
}

/** Sends a page that explains the sandbox. */
export const sendFront = (request: Request, response: Response, signIns: SignIns): void =>
  sendAround(request, response, signIns, (texts) => ({
    title: texts.frontTitle,
    says: html`${texts.front.map((text) => html`<p>${text}</p>`)}
<p class="guide"><a href="${project.docs}providers.md#the-sandbox">${texts.guide}</a></p>`,
  }));

/** Sends a page for an address at which there is none. */
export const sendNotFound = (request: Request, response: Response, signIns: SignIns): void =>
  sendAround(request, response, signIns, (texts) => ({
    title: texts.lostTitle,
    says: html`<p>${texts.lost}</p>`,
  }));

/** Sends a page of no provider, with a way to the verify page that was last here. */
function sendAround(
  request: Request,
  response: Response,
  { last }: SignIns,
  write: (texts: SandboxTexts) => { title: string; says: Html },
): void {
  const language = chooseLanguage(request, undefined);
  const texts = sandboxTexts[language];
  const { title, says } = write(texts);
  const start = last && new URL(last.app.pathname, last.app);
  sendPlainPage(response, {
    language,
    title,
    where: texts.sandbox,
    host: request.headers.host ?? "",
    style,
    body: html`<h1>${title}</h1>${says}
${start && html`<p><a class="button" href="${start.href}">${texts.goTo(start.host)}</a></p>`}`,
  });
}

function send(
  response: Response,
  { name, label }: Connector,
  language: Language,
  page: { title: string; body: Html },
): void {
  const light = providerGround(name);
  const accent = light && { light, dark: `color-mix(in srgb, ${light} 30%, #ffffff)` };
  sendPlainPage(response, {
    language,
    where: label,
    host: sandboxTexts[language].madeUp,
    ...page,
    brand: accent ? { name: label, accent } : undefined,
    mark: new Html(providerMark(name) ?? ""),
    style: style + ofProvider,
    // Forms may end at any port of this machine.
    formAction: "'self' http://127.0.0.1:* http://localhost:*",
  });
}

/** Finds an account id that nobody has: the next number after the first account's. */
function findFreeId(accounts: SandboxAccounts): string {
  let id = Number([...accounts.keys()][0]);
  while (accounts.has(String(id))) id += 1;
  return String(id);
}

/** The heading, at which a screen reader starts. */
const renderHeading = (title: string): Html => html`<h1 tabindex="-1" autofocus>${title}</h1>`;

type TraitTypes = readonly (readonly [name: string, { readonly type: TraitType }])[];

/** @param isMain Whether it is the one that guides and demos mean: the others' buttons are quiet. */
function renderAccount(
  { accountId, name, traits }: SandboxAccount,
  types: TraitTypes,
  isMain: boolean,
  language: Language,
): Html {
  const texts = sandboxTexts[language];
  const words = traitWords[language];
  const rows = types.map(([trait]) => {
    const value = traits[trait];
    const written = value === undefined ? texts.missing : writeTrait(trait, value, words, language);
    return html`<div><dt>${nameTrait(trait, words)}</dt> <dd>${written}</dd></div>`;
  });
  return html`<li class="card"><button${isMain ? undefined : html` class="quiet"`} name="pick" value="${accountId}">${texts.continueAs(name)}</button>
<span class="face" aria-hidden="true">${[...name][0]?.toUpperCase()}</span>
<div class="who"><b>${name}</b> <small>${texts.id(accountId)}</small><dl>${rows}</dl></div></li>`;
}

/** An account as the provider's API has it. */
function renderRaw({ accountId, name, traits }: SandboxAccount): Html {
  const pairs = Object.entries({ id: accountId, ...traits }).map((pair) => pair.join(": "));
  return html`<p><b>${name}</b> <code>${pairs.join(", ")}</code></p>`;
}

/** A field of the form, with the typed value and its problem. */
interface Field {
  readonly name: string;
  readonly label: Html;
  readonly value: string;
  readonly wrong: string | undefined;
  readonly takesFocus: boolean;
  /** The trait's type; absent for other fields. A trait may have no value. */
  readonly type: TraitType | undefined;
  readonly language: Language;
}

function renderField({ name, label, value, wrong, takesFocus, type, language }: Field): Html {
  const words = traitWords[language];
  const empty = type && sandboxTexts[language].missing;
  const id = name.replace(".", "-");
  const isWrong = String(wrong !== undefined);
  const focus = takesFocus ? html` autofocus` : undefined;
  const options = [
    ["true", words.yes],
    ["false", words.no],
  ].map(
    ([each, says]) =>
      html`<option value="${each}"${each === value ? html` selected` : undefined}>${says}</option>`,
  );
  const keyboard = type === "int" ? html` inputmode="numeric"` : undefined;
  const control =
    type === "bool"
      ? html`<select id="${id}" name="${name}" aria-invalid="${isWrong}" aria-describedby="${id}-problem"${focus}>
<option value="">${empty}</option>${options}</select>`
      : html`<input id="${id}" name="${name}" aria-invalid="${isWrong}" aria-describedby="${id}-problem"${focus}
value="${value}" placeholder="${empty}"${keyboard}>`;
  return html`<p><label for="${id}">${label}</label>${control}
<span id="${id}-problem" class="problem">${wrong}</span></p>`;
}

const style = css`
header { border-top: 4px solid var(--accent); background: color-mix(in srgb, var(--accent) 9%, var(--card)); }
.problem { border-left: 4px solid var(--bad); padding-left: .9rem; }
span.problem { display: block; margin-top: .65rem; }
.problem:empty { display: none; }
.problem:focus, h1:focus { outline: none; }
::placeholder { color: var(--quiet); opacity: 1; }
ul { list-style: none; margin: 0 0 1rem; padding: 0; }
.asked { display: flex; flex-wrap: wrap; gap: .4rem; }
.asked li { padding: .05rem .6rem; background: color-mix(in srgb, var(--quiet) 14%, transparent);
  border-radius: 1rem; font-size: .9rem; }
.asks { display: flex; flex-direction: column; gap: .4rem; margin-bottom: 1.25rem; }
.asks > * { margin: 0; }
/* Below the users, as providers have it: the last choice. */
.deny { margin: 0 0 1.25rem; padding-inline: calc(1.1rem + 1px); }
.failures { display: grid; gap: .6rem; margin: .75rem 0 .35rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; margin: 0 0 .75rem;
  padding: .9rem 1.1rem; }
details.card:not([open]) { padding-block: .35rem; }
.card > p { margin: 1.1rem 0 0; }
li.card { display: grid; grid-template-columns: 2.5rem minmax(0, 1fr); align-items: center; gap: .6rem .9rem;
  padding-block: .65rem; }
.face { display: grid; place-items: center; grid-area: 1 / 1; width: 2.5rem; height: 2.5rem; border-radius: 50%;
  background: color-mix(in srgb, var(--accent) 14%, transparent); color: var(--accent); font-weight: 700; }
.who { grid-area: 1 / 2; min-width: 0; }
dl { display: flex; flex-wrap: wrap; gap: 0 .75rem; margin: 0; font-size: .88rem; line-height: 1.4; }
dt, dd { display: inline; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
li.card { position: relative; }
li.card:hover { border-color: var(--accent); }
li.card > button { grid-column: 1 / -1; }
/* The whole row is the button's. */
li.card > button::after { content: ""; position: absolute; inset: 0; border-radius: .9rem; }
li.card > button:active { transform: none; }
@media (min-width: 34rem) {
  li.card { grid-template-columns: 2.5rem 1fr 11.5rem; }
  li.card > button { grid-area: 1 / 3; padding-inline: .5rem; }
  .deny { display: flex; justify-content: end; }
  .deny button { width: 11.5rem; padding-inline: .5rem; }
  .failures { grid-template-columns: 1fr 1fr; }
  /* The same trait is at the same place of every row. */
  dl { display: grid; }
  dl:has(> :nth-child(4)) { grid-template-columns: repeat(2, minmax(0, 9rem)); }
}
/* A phone whose text is twice as large: all stands below each other. */
@media (max-width: 14rem) {
  h1 { font-size: 1.2rem; }
  .card { padding-inline: .6rem; }
  li.card { grid-template-columns: minmax(0, 1fr); }
  li.card > button { order: 1; padding-inline: .25rem; }
  .face, .who { grid-area: auto; }
  dl > div { min-width: 0; }
}
/* Where the verify page (packages/verify-page/page/style.css) is a card, this one is at the same place. */
@media (min-width: 44rem) and (min-height: 34rem) {
  main { flex: none; max-width: 40rem; margin-block: 1rem 3rem; padding: 1.5rem 1.75rem; background: var(--card);
    border: 1px solid var(--line); border-radius: 1rem; }
  header div { max-width: 40rem; padding-inline: calc(1.75rem + 1px); }
}
details.card > button { margin-top: 1.25rem; }
/* As packages/verify-page/shared/base.css. */
main summary { padding: .35rem 0 .35rem 1.2rem; cursor: pointer; list-style: none; }
main summary::-webkit-details-marker { display: none; }
main summary::before { content: ""; display: inline-block; width: .4rem; height: .4rem; margin: 0 .575rem .12em -1.1rem;
  border: solid currentcolor; border-width: 0 2px 2px 0; rotate: -45deg; }
main details[open] > summary::before { rotate: 45deg; }
.card > summary { font-weight: 600; }
.raw { color: var(--quiet); font-size: .88rem; }
.raw p { margin: 0 0 .5rem; }
.guide { margin-bottom: 1.75rem; }
h2 { font-size: 1.15rem; margin: 1.25rem 0 .6rem; }
small { color: var(--quiet); }
.who small { display: inline-block; overflow-wrap: anywhere; }
p label { display: block; margin-bottom: .3rem; }
label small { display: block; }
input:not([type=hidden]), select { width: 100%; min-height: 2.75rem; font: inherit; color: inherit;
  background: var(--page); border: 1px solid var(--edge); border-radius: .6rem; padding: .4rem .75rem; }
select { appearance: none; background-image: linear-gradient(45deg, transparent 40%, currentColor 0 60%, transparent 0),
  linear-gradient(-45deg, transparent 40%, currentColor 0 60%, transparent 0); background-size: .35rem .35rem;
  background-position: right 1.1rem center, right .8rem center; background-repeat: no-repeat; }
@media (forced-colors: active) { select { appearance: auto; background-image: none; } }
p > [aria-invalid=true] { border-color: var(--bad); }
`;

/** For a provider's page: in place of its host, it says that it is made up. */
const ofProvider = css`
.mark { border-radius: .44rem; outline: 1px solid var(--line); }
.host { width: fit-content; padding: 0 .4rem; border: 1px dashed; border-radius: .4rem; font-size: .82rem;
  margin-top: .3rem; }
`;
