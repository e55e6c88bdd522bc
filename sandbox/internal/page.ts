import type { Request, Response } from "express";
import { catalogue } from "../../protocol/catalogue.ts";
import { css, type Html, html } from "../../signer/pages/html.ts";
import { languageOf, sendPlainPage } from "../../signer/pages/plainPage.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccount, SandboxAccounts } from "./accounts.ts";
import { type SandboxTexts, sandboxTexts } from "./texts.ts";

/** Says something in the language of whoever reads it. */
export type Sentence = (texts: SandboxTexts) => string;

/**
 * Sends the page on which one picks an account, or invents one.
 *
 * @param problem What was wrong with the form as it was sent, for the person to read.
 */
export function sendSignIn(
  request: Request,
  response: Response,
  { connector, accounts, problem }: { connector: Connector; accounts: SandboxAccounts; problem?: Sentence },
): void {
  const { label } = connector;
  const traits = [...(catalogue.get(connector.name) ?? [])];
  send(request, response, label, (texts) => ({
    title: texts.title(label),
    // Whoever has to put something right starts at what it is, everybody else at the first account.
    body: html`<h1>${texts.who(label)}</h1>
<p>${texts.standsIn}</p>
${problem && html`<p role="alert" class="problem" tabindex="-1" autofocus>${problem(texts)}</p>`}
<form method="post">
<fieldset><legend>${texts.known}</legend>
<ul>${[...accounts.values()].map((account, i) => {
      const says = traits.map(([trait]) => [trait, account.traits[trait] ?? texts.missing].join(" "));
      return renderAccount(account, texts.id(account.accountId), says, { checked: i === 0, focus: !problem });
    })}</ul>
<button name="action" value="pick">${texts.signIn}</button></fieldset>
</form>
<form method="post">
<details${problem && html` open`}><summary>${texts.invent}</summary>
<p><label for="id">${texts.accountId} <small>${texts.changes}</small></label><input id="id" name="accountId"></p>
<p><label for="name">${texts.name}</label><input id="name" name="name"></p>
${traits.map(([trait, { type }]) => renderField(trait, type, texts))}
<button class="quiet" name="action" value="invent">${texts.signInInvented}</button></details>
</form>
<form method="post"><button class="quiet" name="action" value="refuse">${texts.refuse}</button></form>`,
  }));
}

/** Sends a page that says why nobody can sign in. */
export function sendRefusal(
  request: Request,
  response: Response,
  { label, title, says }: { label: string; title: Sentence; says: Sentence },
): void {
  send(request, response, label, (texts) => ({
    title: title(texts),
    body: html`<h1>${title(texts)}</h1><p>${says(texts)}</p>`,
  }));
}

function send(
  request: Request,
  response: Response,
  label: string,
  write: (texts: SandboxTexts) => { title: string; body: Html },
): void {
  const language = languageOf(request);
  // Who chose it is not asked again at the next sign-in.
  if (request.query.language !== undefined) response.cookie("language", language, { httpOnly: true });
  const texts = sandboxTexts[language];
  sendPlainPage(response, {
    ...{ language, where: label, host: texts.madeUp, style, ...write(texts) },
    // Forms may end at any port of this machine.
    formAction: "'self' http://127.0.0.1:* http://localhost:*",
  });
}

function renderAccount(
  { accountId, name }: SandboxAccount,
  id: string,
  says: readonly string[],
  { checked, focus }: { checked: boolean; focus: boolean },
): Html {
  return html`<li><label>
<input type="radio" name="pick" value="${accountId}"${checked ? html` checked` : undefined}${checked && focus ? html` autofocus` : undefined}>
<span><b>${name}</b> <small>${id}</small><br><small>${says.join(" · ")}</small></span></label></li>`;
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

const style = css`
.host { width: fit-content; padding: 0 .4rem; border: 1px dashed; border-radius: .4rem; font-size: .82rem; }
.problem { border-left: 4px solid var(--bad); padding-left: .9rem; }
.problem:focus { outline: none; }
::placeholder { color: var(--quiet); opacity: 1; }
fieldset, details { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; margin: 0 0 1rem;
  padding: 1rem 1.1rem; }
details:not([open]) { padding-block: .5rem; }
legend { float: left; width: 100%; font-size: 1.15rem; font-weight: 700; padding: 0 0 .5rem; }
legend + * { clear: both; }
summary { padding: .35rem 0; font-weight: 600; cursor: pointer; }
[open] summary { margin-bottom: .75rem; }
ul { list-style: none; margin: 0 0 1rem; padding: 0; }
li label { display: flex; gap: .75rem; padding: .6rem 0; align-items: start; border-top: 1px solid var(--line); cursor: pointer; }
li input { margin-top: .35rem; accent-color: var(--accent); }
small { color: var(--quiet); }
p label { display: block; }
input:not([type=radio]), select { width: 100%; min-height: 2.75rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--quiet); border-radius: .6rem; padding: .4rem .75rem; }
`;
