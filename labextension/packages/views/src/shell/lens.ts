import { Disposer, format, h, on } from "@tapeviz/core";
import type { Digits, Experiments } from "../experiments";
import type { ViewContext } from "../view";

/** Which digits are right: a button that has the program run in a higher precision, then the lines that lose them. */
export function lens(context: ViewContext, disposer: Disposer): HTMLElement[] {
  const { experiments } = context;
  if (!experiments) return [];
  const section = h("div", { class: "tv-lens", role: "group", "aria-labelledby": "tv-lens" });
  const show = (): void => section.replaceChildren(...content(context, experiments));
  show();
  disposer.add(experiments.digits.on(show));
  return [h("h4", { id: "tv-lens" }, "Digits"), section];
}

function content(context: ViewContext, experiments: Experiments): HTMLElement[] {
  const { value } = experiments.digits;
  if (value.state === "ok") return found(context, value.answer);
  if (value.state === "running") return [h("p", { class: "tv-muted", role: "status" }, "The program runs ...")];
  const reason = experiments.refusal || (value.state === "error" ? value.text : "");
  const button = h(
    "button",
    { type: "button", class: "tv-do", disabled: reason !== "" },
    "Show which digits are right",
  );
  on(button, "click", () => void experiments.findDigits());
  return [button, ...(reason ? [h("p", { class: "tv-muted" }, reason)] : [])];
}

function found({ selection }: ViewContext, { precision, right, losses }: Digits): HTMLElement[] {
  const compared = format.plural(Object.keys(right).length, "tensor");
  if (losses.length === 0)
    return [h("p", { role: "status" }, `No line loses digits: ${compared} compared with a run in ${precision}.`)];
  const items = losses.map((loss) => {
    const { event, tensor, line, op, before, after, rewrite, better } = loss;
    const where = h("button", { type: "button", class: "tv-link" }, line > 0 ? `Line ${line}: ${op}` : op);
    on(where, "click", () => selection.select({ event, tensor }));
    return h(
      "li",
      {},
      where,
      h("span", {}, `${format.plural(Math.round(after), "digit")} right, of ${Math.round(before)} in what it got`),
      rewrite !== "" && h("span", {}, h("code", {}, rewrite), ` has ${Math.round(better)}`),
    );
  });
  return [
    h("ul", { "aria-label": "Lines that lose digits" }, ...items),
    h("p", { class: "tv-muted" }, `${compared} compared with a run in ${precision}`),
  ];
}

/** Says on each tensor in a panel how many digits of it are right. */
export function markDigits(panel: HTMLElement, experiments: Experiments): void {
  const { value } = experiments.digits;
  const right = value.state === "ok" ? value.answer.right : {};
  const lost = new Set(value.state === "ok" ? value.answer.losses.map(({ tensor }) => tensor) : []);
  for (const card of panel.querySelectorAll<HTMLElement>(".tv-tensor[data-tensor]")) {
    const tensor = card.dataset["tensor"]!;
    card.querySelector(".tv-digits")?.remove();
    if (!(tensor in right)) continue;
    const fault = lost.has(Number(tensor)) ? " tv-fault" : " tv-muted";
    const digits = format.plural(Math.round(right[tensor]), "digit");
    card.append(h("span", { class: `tv-digits${fault}` }, `${digits} right`));
  }
}
