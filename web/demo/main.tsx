import { render } from "preact";
import { InLanguage } from "../shared/language.tsx";
import { App } from "./App.tsx";

const page = document.getElementById("page");
if (page)
  render(
    <InLanguage>
      <App />
    </InLanguage>,
    page,
  );
