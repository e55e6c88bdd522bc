// The verify page: it talks to the service as protocol/verifyPage.ts says, its words are in texts/, and nothing else
// imports it.
import "../shared/textKeys.ts";
import { render } from "preact";
import { InLanguage } from "../shared/language.tsx";
import { App } from "./App.tsx";

const page = document.getElementById("page");
if (page) {
  render(
    <InLanguage>
      <App />
    </InLanguage>,
    page,
  );
  document.querySelector(".starting")?.remove();
}
