// cspell:ignore vnode
import { createElement, Fragment, options, type VNode } from "preact";

interface Props {
  children?: unknown;
  readonly tabIndex?: number;
}

/**
 * Keeps a page correct while the browser translates it. Translation replaces text nodes with elements of its own, and
 * Preact would go on writing to the removed nodes. So each element with a text gets that text as its key: a changed text
 * replaces the whole element. Elements that can have the focus stay; an element inside them is replaced.
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
