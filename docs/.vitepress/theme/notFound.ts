import { h } from "vue";

const places = [
  ["/getting-started", "Getting started"],
  ["/faq", "Troubleshooting"],
  ["/errors/contract", "Contract errors"],
  ["/reference/tasks", "Task reference"],
];

/** The page for unknown addresses. */
export const NotFound = () =>
  h("div", { class: "vp-doc missing" }, [
    h("h1", "Page not found"),
    h("p", "Check the address, search the documentation, or go to:"),
    h(
      "ul",
      places.map(([href, text]) => h("li", h("a", { href }, text))),
    ),
  ]);
