import { h } from "@tapeviz/core";
import type { Details, DiffRow } from "./data";
import { SIGNS, stateOf } from "./rows";

/** One row in full: the line, what is said of it, and its elements side by side. */
export function detailsOf(row: DiffRow, details: Details): HTMLElement {
  const { said, places, elements } = details;
  const [sign] = SIGNS[stateOf(row)];
  return h(
    "div",
    { class: "tvd-details" },
    ...places.map((place) => h("pre", { class: "tvd-place" }, place)),
    ...said.map((sentence, at) =>
      h("p", {}, at === 0 && sign ? h("b", { class: "tvd-sign" }, `${sign} `) : null, sentence),
    ),
    elements.length > 0 ? table(details) : null,
  );
}

function table({ elements }: Details): HTMLElement {
  const cells = (texts: readonly string[], tag: "td" | "th"): HTMLElement[] =>
    texts.map((text) => h(tag, tag === "th" ? { scope: "col" } : {}, text));
  const many = elements.some(({ index }) => index.length > 0);
  const head = [...(many ? ["element"] : []), "a", "b", "ULP"];
  return h(
    "table",
    { class: "tvd-elements" },
    h("caption", {}, many ? "The elements furthest apart" : "Side by side"),
    h("thead", {}, h("tr", {}, ...cells(head, "th"))),
    h(
      "tbody",
      {},
      ...elements.map(({ index, a, b, ulp }) =>
        h("tr", {}, ...cells([...(many ? [`[${index.join(", ")}]`] : []), a, b, ulp || "–"], "td")),
      ),
    ),
  );
}
