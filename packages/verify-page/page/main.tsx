// The verify page: it talks to the service as packages/verify-page/messages.ts says, its words are in texts/, and nothing else
// imports it.
import { render } from "preact";
import { InLanguage } from "../shared/language.tsx";
import { keyTexts } from "../shared/textKeys.ts";
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
