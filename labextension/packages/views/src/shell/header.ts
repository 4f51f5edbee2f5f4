import { Disposer, Signal, h, on, type Dispose } from "@tapeviz/core";
import type { Recording } from "@tapeviz/recording";
import { viewsOf } from "../registry";
import type { View } from "../view";
import type { Export } from "./exports";
import { headline } from "./headline";

export interface HeaderActions {
  readonly toggleText: () => void;
  readonly toggleInspector: () => void;
  readonly help: () => void;
  readonly exports: readonly Export[];
}

/** Title and facts, the view switch, and the buttons at the right. */
export function header(
  recording: Recording,
  view: Signal<string>,
  text: Signal<boolean>,
  actions: HeaderActions,
): {
  element: HTMLElement;
  dispose: Dispose;
} {
  const { title, facts } = headline(recording);
  const disposer = new Disposer();
  const about = h(
    "div",
    { class: "tv-about" },
    h("h2", {}, title),
    h("p", { class: "tv-muted" }, ...facts.map((fact) => h("span", {}, fact))),
  );
  const menu = exportMenu(actions.exports, disposer);
  const textButton = tool("Text", "The view in words (t)", actions.toggleText);
  disposer.add(text.watch((shown) => textButton.setAttribute("aria-pressed", String(shown))));
  const tools = h(
    "div",
    { class: "tv-buttons" },
    textButton,
    tool("Inspector", "Show or hide the inspector; Enter goes to it", actions.toggleInspector),
    menu,
    tool("?", "Keys and help (?)", actions.help),
  );
  const element = h("header", { class: "tv-header" }, about, tabs(viewsOf(recording), view, disposer), tools);
  return { element, dispose: disposer.dispose };
}

function tool(text: string, title: string, run: () => void): HTMLButtonElement {
  const button = h("button", { type: "button", title }, text);
  if (text.length === 1) button.setAttribute("aria-label", title);
  on(button, "click", run);
  return button;
}

/** The view switch: tabs as ARIA wants them, moved through with the arrows once focused. */
function tabs(views: readonly View[], view: Signal<string>, disposer: Disposer): HTMLElement {
  const list = h("div", { class: "tv-tabs", role: "tablist", "aria-label": "Views" });
  const buttons = views.map(({ id, title, key }) => {
    const button = h(
      "button",
      { type: "button", role: "tab", title: `${title} (${key})`, "aria-controls": "tv-main" },
      title,
    );
    on(button, "click", () => view.set(id));
    return button;
  });
  list.append(...buttons);
  disposer.add(
    view.watch((now) => {
      const chosen = Math.max(
        0,
        views.findIndex((v) => v.id === now),
      );
      buttons.forEach((button, i) => {
        button.setAttribute("aria-selected", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
      });
    }),
  );
  disposer.add(
    on<KeyboardEvent>(list, "keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by === undefined) return;
      event.stopPropagation();
      event.preventDefault();
      const at = buttons.findIndex((b) => b.getAttribute("aria-selected") === "true");
      const next = (at + by + buttons.length) % buttons.length;
      view.set(views[next].id);
      buttons[next].focus();
    }),
  );
  return list;
}

function exportMenu(entries: HeaderActions["exports"], disposer: Disposer): HTMLElement {
  const panel = h("div", { class: "tv-menu-panel" });
  const menu = h("details", { class: "tv-menu" }, h("summary", { title: "Save or copy" }, "Export"), panel);
  for (const { label, run, why } of entries) {
    const entry = h(
      "button",
      { type: "button", disabled: why !== undefined },
      h("span", {}, label),
      why && h("small", {}, why),
    );
    on(entry, "click", () => {
      menu.open = false;
      run();
    });
    panel.append(entry);
  }
  disposer.add(
    on<FocusEvent>(menu, "focusout", (event) => {
      if (!menu.contains(event.relatedTarget as Node | null)) menu.open = false;
    }),
  );
  disposer.add(
    on<KeyboardEvent>(menu, "keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.stopPropagation();
      menu.open = false;
      menu.querySelector("summary")?.focus();
    }),
  );
  return menu;
}
