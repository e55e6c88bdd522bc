// The demo, a page for a local node only: its claims are in claim.ts, its words in texts/, and nothing else imports it.

import { InLanguage } from "@hardhat-identity/verify-page/shared/language.tsx";
import { keyTexts } from "@hardhat-identity/verify-page/shared/textKeys";
import { render } from "preact";
import { App } from "./App.tsx";

const page = document.getElementById("page");
if (page) {
  keyTexts();
  render(
    <InLanguage>
      <App />
    </InLanguage>,
    page,
  );
  document.querySelector(".starting")?.remove();
}
