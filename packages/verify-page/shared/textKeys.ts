// cspell:ignore vnode
import { createElement, Fragment, options, type VNode } from "preact";

interface Props {
  children?: unknown;
  readonly tabIndex?: number;
}

/**
 * Keeps what a page shows true in a browser that translates it. Such a browser puts elements of its own in place of each
 * text, and Preact would go on writing to the texts that are gone. So each element with a text gets a key with that text:
 * where the text changes, the element is replaced, and with it what the browser made of it. What may have the focus stays,
 * and an element in it is replaced.
 */
export function keyTexts(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    before?.(vnode);
    const props = vnode.props as Props;
    if (typeof vnode.type !== "string" || !hasText(props.children)) return;
    const isFocusable = ["a", "button", "summary"].includes(vnode.type) || props.tabIndex !== undefined;
    if (isFocusable) props.children = createElement("span", null, props.children as string);
    else vnode.key = `${vnode.key ?? ""}\n${readText(props.children)}`;
  };
}

/** Whether a text stands directly in an element, or in a fragment there. */
function hasText(children: unknown): boolean {
  if (Array.isArray(children)) return children.some(hasText);
  if (isNode(children)) return children.type === Fragment && hasText(children.props.children);
  return (typeof children === "string" && children.trim() !== "") || typeof children === "number";
}

/** The text in an element, with that of the elements in it, as far as it is known before their components run. */
function readText(children: unknown): string {
  if (Array.isArray(children)) return children.map(readText).join("\n");
  if (!isNode(children)) return typeof children === "boolean" ? "" : String(children ?? "");
  if (typeof children.type === "function" && children.type !== Fragment) return "";
  return readText(children.props.children);
}

const isNode = (value: unknown): value is VNode<Props> =>
  typeof value === "object" && value !== null && "props" in value;
