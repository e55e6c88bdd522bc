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
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(label)} sandbox: choose an account</title>
<style>${style}</style>
</head>
<body>
<header><p><b>${escapeHtml(label)}</b> <span class="mark">made up for development</span></p></header>
<main>
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

// The colours and measures of the verify page (web/shared/base.css), which is what people come from.
const style = `
:root { color-scheme: light dark; font: 100%/1.55 system-ui, sans-serif;
  --text: light-dark(#1c2126, #e7eaed); --quiet: light-dark(#555f6a, #a4aeb8); --page: light-dark(#fbfbfa, #15181b);
  --card: light-dark(#ffffff, #1d2125); --line: light-dark(#d8dcdf, #363c43); --accent: light-dark(#1f5fa8, #8ab8ee);
  --on-accent: light-dark(#ffffff, #10202f); --bad: light-dark(#a02c22, #f2a198); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: break-word; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header p, main { max-width: 36rem; margin: 0 auto; padding: .9rem 1rem; }
main { padding-bottom: 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .75rem 0; text-wrap: balance; }
p { margin: 0 0 1rem; }
.mark { border: 1px dashed; border-radius: .4rem; padding: 0 .4rem; font-size: .82rem; white-space: nowrap; }
.problem { border-left: 4px solid var(--bad); padding-left: .9rem; }
fieldset { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; margin: 0 0 1rem; padding: 1rem 1.1rem; }
legend { float: left; width: 100%; font-size: 1.15rem; font-weight: 700; padding: 0 0 .5rem; }
legend + * { clear: both; }
ul { list-style: none; margin: 0 0 1rem; padding: 0; }
li label { display: flex; gap: .75rem; padding: .6rem 0; align-items: start; border-top: 1px solid var(--line); }
li input { margin-top: .35rem; accent-color: var(--accent); }
small { color: var(--quiet); }
p label { display: block; }
input:not([type=radio]), select { width: 100%; min-height: 2.75rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--quiet); border-radius: .6rem; padding: .4rem .75rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .55rem 1.25rem; cursor: pointer;
  border: 1px solid var(--accent); border-radius: .6rem; background: var(--accent); color: var(--on-accent); }
.quiet { background: none; border-color: var(--line); color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { button { width: 100%; } }
`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
