import { shortenHex } from "../../../packages/protocol/hex.ts";
import recorded from "./recorded.json" with { type: "json" };

type Name = keyof typeof recorded;

/** The texts before and after each claim. Its messages were recorded from a run of the product. */
const claims: readonly {
  readonly name: Name;
  readonly step: string;
  readonly about: string;
  readonly action: string;
  readonly title: string;
  readonly ending: "accepted" | "refused" | "unsigned";
}[] = [
  {
    name: "phone",
    step: "Alice claims",
    about: "With her phone. Her account has 1,200 followers, and the contract asks for more than 1,000.",
    action: "Claim with Alice’s phone",
    title: "The contract pays Alice 100 test tokens.",
    ending: "accepted",
  },
  {
    name: "laptop",
    step: "Alice claims again",
    about: "With her laptop: another wallet, verified with the same account.",
    action: "Claim with Alice’s laptop",
    title: "The contract refuses her second wallet.",
    ending: "refused",
  },
  {
    name: "bob",
    step: "Bob claims",
    about: "With his phone. His account has 12 followers.",
    action: "Claim with Bob’s phone",
    title: "The service does not sign for Bob, who has 12 followers.",
    ending: "unsigned",
  },
];

/** The claim that stays open at the story's end. */
const punchline: Name = "laptop";

/** The story of the demo, without a backend: `<playable-story>`. Its content is for readers without scripts. */
export function definePlayableStory(): void {
  if (customElements.get("playable-story") !== undefined) return;
  customElements.define("playable-story", PlayableStory);
}

class PlayableStory extends HTMLElement {
  #told = 0;

  connectedCallback() {
    this.#show();
  }

  #show() {
    const next = claims[this.#told];
    const button = element(
      "button",
      { type: "button", className: next === undefined ? "next quiet" : "next" },
      next?.action ?? "Start over",
    );
    button.addEventListener("click", () => {
      this.#told = next === undefined ? 0 : this.#told + 1;
      this.#show();
      this.querySelector<HTMLButtonElement>(".next")?.focus({ preventScroll: true });
    });
    const results = element(
      "ol",
      {},
      ...claims.map((claim, i) =>
        i < this.#told
          ? show(claim, next === undefined ? claim.name === punchline : i === this.#told - 1)
          : element(
              "li",
              { className: "coming" },
              element("b", {}, claim.step),
              element("p", {}, claim.about),
            ),
      ),
    );
    results.ariaLive = "polite";
    const stage = element("div", { className: "stage" });
    stage.innerHTML = drawStage(this.#told);
    stage.append(this.#ledger());
    const buttons = element("div", { className: "buttons" }, button);
    if (next === undefined)
      buttons.prepend(element("a", { href: "getting-started", className: "onward" }, "Get started"));
    this.replaceChildren(element("div", {}, stage, buttons), results);
  }

  #ledger(): HTMLElement {
    const { identityHash } = JSON.parse(recorded.phone.response);
    return element(
      "div",
      { className: "ledger" },
      element("b", {}, "What the contract knows"),
      element("p", {}, this.#told === 0 ? "0 people" : "1 person"),
      this.#told === 0
        ? element("p", {}, "Nobody has claimed yet")
        : element("p", { className: "known" }, `${shortenHex(identityHash)} claimed`),
      element("p", {}, "No name, no account"),
      element("p", { className: "again" }, this.#told > 1 ? "Same person again: refused" : ""),
    );
  }
}

function show({ name, title, ending }: (typeof claims)[number], isOpen: boolean): HTMLElement {
  const { message, status, response, gasUsed, outcome } = recorded[name];
  const [error = "", meaning = ""] = outcome.split(/: (.*)/);
  const answer = [
    element("p", {}, `The service answers ${status}:`),
    element("pre", { tabIndex: 0 }, response),
  ];
  const endings = {
    accepted: [
      element(
        "p",
        {},
        `The claim used ${gasUsed.toLocaleString("en")} gas, including the payment of tokens.`,
      ),
    ],
    refused: [
      element("p", {}, "The contract reverts:"),
      element("pre", { tabIndex: 0 }, error),
      element("p", {}, meaning),
    ],
    unsigned: answer,
  };
  const sent = element(
    "details",
    {},
    element("summary", {}, "What was sent"),
    element("p", {}, "The wallet signs, and the app sends to the service:"),
    element("pre", { tabIndex: 0 }, message),
    ...(ending === "unsigned" ? [] : answer),
  );
  const details = element(
    "details",
    { open: isOpen },
    element("summary", {}, title),
    ...endings[ending],
    sent,
  );
  return element("li", { className: ending }, details);
}

const ways = {
  accepted: '<path class="accepted" pathLength="1" d="M134 28h22M164 27l6 6 11-13"/>',
  refused: '<path class="refused" pathLength="1" d="M134 80h22M165 73l14 14M179 73l-14 14"/>',
};

/** The demo's picture: each claim draws its line, and ends at what came of it. */
const drawStage = (told: number): string => `
  <svg viewBox="0 0 248 112" aria-hidden="true">
    <circle cx="26" cy="44" r="9"/><path d="M10 76c0-22 32-22 32 0M50 50l32-18M50 62l32 18"/>
    <rect x="94" y="6" width="24" height="42" rx="5"/><path d="M102 41h8"/>
    <rect x="90" y="64" width="32" height="24" rx="3"/><path d="M83 96h46"/>
    ${told > 0 ? ways.accepted : '<path class="way" d="M134 28h50"/>'}
    ${told > 1 ? ways.refused : '<path class="way" d="M134 80h50"/>'}
    <rect x="194" y="10" width="48" height="90" rx="6"/><path d="M206 34h24M206 50h24M206 66h14"/>
  </svg>`;

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
