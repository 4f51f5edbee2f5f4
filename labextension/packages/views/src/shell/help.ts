import { Disposer, FAMILIES, ERROR, STATES, familyIcon, h, on, type Dispose, type KeyBindings } from "@tapeviz/core";

const NAMES: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  " ": "Space",
};

/** What can be pressed, and what the signs mean; over the views until Esc or the button. */
export function help(root: HTMLElement, keys: KeyBindings, close: () => void): Dispose {
  const rows = keys
    .list()
    .filter(({ key }) => key !== "=")
    .map(({ key, title }) => h("div", {}, h("dt", {}, h("kbd", {}, NAMES[key] ?? key)), h("dd", {}, title)));
  const button = h("button", { type: "button" }, "Close");
  const signs = [...FAMILIES, ERROR].map((family) => h("li", {}, familyIcon(family), family.title));
  const states = Object.values(STATES).map(({ glyph, text }) => h("li", {}, h("b", { class: "tv-mono" }, glyph), text));
  const panel = h(
    "div",
    { class: "tv-help", role: "dialog", "aria-label": "Keys and signs", tabindex: "-1" },
    h("div", { class: "tv-help-head" }, h("h3", {}, "Keys"), button),
    h("dl", {}, ...rows),
    h(
      "p",
      { class: "tv-muted" },
      "Ctrl or ⌘ with the wheel zooms, Shift with it moves; drag over ops for a range; double-click an op to zoom to it.",
    ),
    h("h3", {}, "Signs"),
    h("ul", {}, ...signs),
    h("ul", {}, ...states),
    h("p", { class: "tv-muted" }, "Forward is solid, backward is hatched."),
  );
  root.append(panel);
  panel.focus();
  on(button, "click", close);
  const disposer = new Disposer().add(() => panel.remove());
  disposer.add(
    on<KeyboardEvent>(panel, "keydown", (event) => {
      if (event.key !== "Escape" && event.key !== "?") return;
      event.stopPropagation();
      close();
    }),
  );
  return disposer.dispose;
}
