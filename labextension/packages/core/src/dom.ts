import { guarded } from "./boundary";
import type { Dispose } from "./signal";

type Attribute = string | number | boolean | undefined;
type Child = Node | string | null | undefined | false;

/** An element: h("div", {class: "row", hidden: true}, "text", h("b", {}, "bold")). False and undefined are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<E extends Element>(element: E, attributes: Record<string, Attribute>, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/** A name that may go on in the next line behind "/" and "_", as the parts of a path do. */
export const breakable = (name: string): Node[] =>
  name.split(/(?<=[/_])/).flatMap((part, i) => [...(i > 0 ? [h("wbr")] : []), document.createTextNode(part)]);

/** Listens, and gives the way to stop. */
export function on<E extends Event>(
  target: EventTarget,
  type: string,
  listener: (event: E) => void,
  options?: AddEventListenerOptions,
): Dispose {
  const own = guarded(listener) as EventListener;
  target.addEventListener(type, own, options);
  return () => target.removeEventListener(type, own, options);
}

/** Puts CSS into a root once: a second call with the same text adds nothing. */
export function style(root: Node, css: string): void {
  const home = root.getRootNode();
  const parent = home instanceof ShadowRoot ? home : document.head;
  for (const other of parent.querySelectorAll("style[data-tapeviz]")) if (other.textContent === css) return;
  parent.prepend(h("style", { "data-tapeviz": true }, css));
}
