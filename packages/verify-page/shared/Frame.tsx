import { type Language, languages } from "@hardhat-identity/protocol/languages";
import type { ComponentChildren } from "preact";
import { project } from "../content/project.ts";
import { LastScreen } from "./LastScreen.tsx";
import { useLanguage, useTexts } from "./language.tsx";
import { sharedTexts } from "./texts.ts";

/**
 * The frame of every page: a header that names the page, and a footer.
 *
 * @param props.where The page's name, in a few words.
 * @param props.host The operator's host.
 * @param props.logo The operator's logo; by default our mark.
 * @param props.about The page's purpose, in the footer.
 * @param props.privacy The privacy notice.
 * @param props.wayOut The link on the last screen, after the page has failed.
 */
export function Frame(props: {
  where: string;
  host: string;
  logo?: string | undefined;
  about: ComponentChildren;
  privacy: ComponentChildren;
  wayOut: ComponentChildren;
  children: ComponentChildren;
}) {
  const texts = useTexts(sharedTexts);
  return (
    <>
      <header class="frame">
        <div>
          {props.logo ? <img class="mark" src={props.logo} alt="" /> : <Mark />}
          <p>
            <b>{props.where}</b>
            <span class="host" translate={false}>
              {props.host}
            </span>
          </p>
          <LanguageChoice />
        </div>
      </header>
      <main>
        <LastScreen wayOut={props.wayOut}>{props.children}</LastScreen>
      </main>
      <footer class="frame">
        <div>
          <details>
            <summary>{texts.about}</summary>
            {props.about}
          </details>
          <details>
            <summary>{texts.privacy}</summary>
            {props.privacy}
          </details>
          <p>
            <a href={project.licence} target="_blank" rel="noreferrer">
              {texts.licence}
            </a>
            <a href={project.source} target="_blank" rel="noreferrer">
              {texts.source}
            </a>
          </p>
        </div>
      </footer>
    </>
  );
}

function LanguageChoice() {
  const { language, choose } = useLanguage();
  const texts = useTexts(sharedTexts);
  if (choose === undefined) return null;
  return (
    <div class="language">
      <select
        aria-label={texts.language}
        value={language}
        onChange={({ currentTarget }) => choose(currentTarget.value as Language)}
      >
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code} translate={false}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** One of many, ticked. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect class="wallet" x="2" y="4" width="20" height="16" rx="3.5" />
      <rect class="wallet" x="10" y="12" width="20" height="16" rx="3.5" />
      <circle cx="16" cy="16" r="2.6" />
    </svg>
  );
}
