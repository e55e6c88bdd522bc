import { catalogue } from "../../protocol/catalogue.ts";
import type { Connector } from "../../signer/providers/connector.ts";
import type { SandboxAccounts } from "./accounts.ts";

/** What browsers may do with the sandbox's pages: forms alone, which may end at any port of this machine. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; " +
  "form-action 'self' http://127.0.0.1:* http://localhost:*";

/**
 * The page on which one picks an account, or invents one.
 *
 * @param problem What was wrong with the form as it was sent, for the person to read.
 */
export function renderPage(connector: Connector, accounts: SandboxAccounts, problem?: string): string {
  const { name, label } = connector;
  const traits = [...(catalogue.get(name) ?? [])];
  const rows = [...accounts.values()].map((account, i) => {
    const says = traits.map(([trait]) => `${trait} ${account.traits[trait] ?? "(missing)"}`).join(", ");
    return `<li><label><input type="radio" name="pick" value="${escapeHtml(account.accountId)}"${i === 0 ? " checked" : ""}>
      <span><b>${escapeHtml(account.name)}</b> <small>id ${escapeHtml(account.accountId)}</small><br>
      <small>${escapeHtml(says)}</small></span></label></li>`;
  });
  const fields = traits.map(([trait, { type }]) => {
    const control =
      type === "bool"
        ? `<select id="t-${trait}" name="trait.${trait}"><option value="">(missing)</option>
           <option>true</option><option>false</option></select>`
        : `<input id="t-${trait}" name="trait.${trait}"${type === "int" ? ' inputmode="numeric" placeholder="(missing)"' : ' placeholder="(missing)"'}>`;
    return `<p><label for="t-${trait}">${trait} <small>${type}</small></label>${control}</p>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(label)} sandbox: choose an account</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="mark">Sandbox: made up for development</p>
<h1>${escapeHtml(label)}: who are you?</h1>
<p>This page stands in for the real provider's sign-in. Nobody here is real, and no password is asked.</p>
${problem ? `<p role="alert" class="problem">${escapeHtml(problem)}</p>` : ""}
<form method="post">
<fieldset><legend>Sign in as somebody known</legend><ul>${rows.join("")}</ul>
<button name="action" value="pick">Sign in</button></fieldset>
</form>
<form method="post">
<fieldset><legend>Or invent somebody</legend>
<p><label for="id">Account id <small>a known id changes that account</small></label><input id="id" name="accountId"></p>
<p><label for="name">Name</label><input id="name" name="name"></p>
${fields.join("")}
<button name="action" value="invent">Sign in as this person</button></fieldset>
</form>
<form method="post"><button class="quiet" name="action" value="refuse">Refuse and go back</button></form>
</main>
</body>
</html>`;
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
.mark { border: 2px dashed; padding: .25rem .75rem; display: inline-block; }
.problem { border-left: 4px solid; padding-left: .75rem; }
fieldset { border: 1px solid GrayText; border-radius: .5rem; margin: 1rem 0; padding: 1rem; }
legend { font-weight: 600; padding: 0 .25rem; }
ul { list-style: none; margin: 0 0 1rem; padding: 0; }
li label { display: flex; gap: .75rem; padding: .5rem 0; align-items: start; }
li input { margin-top: .35rem; }
p label { display: block; }
input:not([type=radio]), select { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; padding: .6rem 1.25rem; min-height: 2.75rem; }
.quiet { background: none; border: 1px solid; border-radius: .25rem; }
`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
