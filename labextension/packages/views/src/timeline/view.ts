import { Disposer, familyIcon, h, on, style, type Dispose } from "@tapeviz/core";
import { KIND, type Recording } from "@tapeviz/recording";
import type { View, ViewContext } from "../view";
import { familyAt, familyIndex, type ScaleName } from "./model";
import { Stage } from "./stage";
import { timelinePages, timelineText } from "./text";
import css from "./timeline.css";

// Up to this many forward ops, equal widths say more than time.
const FEW = 30;

export const timeline: View = {
  id: "timeline",
  title: "Timeline",
  key: "1",
  mount,
  text: timelineText,
  pages: timelinePages,
};

function mount(root: HTMLElement, context: ViewContext): Dispose {
  style(root, css);
  const { recording } = context;
  const tools = h("div", { class: "tv-tools" });
  const range = h("div", { class: "tv-range", role: "status", hidden: true });
  const holder = h("div", { class: "tv-scroll", tabindex: 0, role: "group", "aria-label": "Lanes" });
  const element = h(
    "div",
    { class: "tv-timeline" },
    h("div", { class: "tv-bar" }, legend(recording), tools),
    range,
    holder,
  );
  root.append(element);
  const disposer = new Disposer().add(() => element.remove());
  const stage = new Stage(holder, range, context, startScale(recording));
  disposer.add(stage.dispose);
  disposer.add(controls(tools, stage, context));
  return disposer.dispose;
}

function startScale({ events }: Recording): ScaleName {
  let forward = 0;
  for (let row = 0; row < events.rows; row++)
    forward += Number(events.kind[row] === KIND.op && events.phase[row] === 0);
  return forward <= FEW ? "order" : "time";
}

/** The families that occur, most frequent first. */
function legend(recording: Recording): HTMLElement {
  const { events } = recording;
  const index = familyIndex(recording);
  const counts = new Map<number, number>();
  for (let row = 0; row < events.rows; row++) {
    if (events.op[row] >= 0) counts.set(index[events.op[row]], (counts.get(index[events.op[row]]) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([i]) => familyAt(i));
  return h(
    "ul",
    { class: "tv-legend", "aria-label": "Families of ops" },
    ...sorted.map((f) => h("li", {}, familyIcon(f), f.title)),
  );
}

/** The buttons at the top, and the keys that do the same. */
function controls(tools: HTMLElement, stage: Stage, context: ViewContext): Dispose {
  const disposer = new Disposer();
  const scales = (["order", "time"] as const).map((name) => {
    const button = h("button", { type: "button", title: `Scale: ${name} (s)` }, name);
    on(button, "click", () => stage.scale.set(name));
    disposer.add(stage.scale.watch((now) => button.setAttribute("aria-pressed", String(now === name))));
    return button;
  });
  const button = (text: string, title: string, run: () => void): HTMLElement => {
    const made = h("button", { type: "button", title, "aria-label": title }, text);
    on(made, "click", run);
    return made;
  };
  const repeats = button("Repeats", "Open or close what repeats (r)", () => stage.toggleRepeats());
  tools.append(
    h("div", { class: "tv-segment", role: "group", "aria-label": "Scale" }, ...scales),
    h("div", { class: "tv-segment", hidden: !stage.hasRepeats }, repeats),
    h(
      "div",
      { class: "tv-segment", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out (-)", () => stage.zoom(1.6)),
      button("Fit", "Fit (f)", () => stage.fit()),
      button("+", "Zoom in (+)", () => stage.zoom(1 / 1.6)),
    ),
  );
  const { keys } = context;
  disposer.add(
    keys.bind("f", "Fit", () => stage.fit()),
    keys.bind("+", "Zoom in", () => stage.zoom(1 / 1.6)),
    keys.bind("=", "Zoom in", () => stage.zoom(1 / 1.6)),
    keys.bind("-", "Zoom out", () => stage.zoom(1.6)),
    keys.bind("[", "Move left", () => stage.pan(-0.25)),
    keys.bind("]", "Move right", () => stage.pan(0.25)),
    keys.bind("r", "Open or close what repeats", () => stage.toggleRepeats()),
    keys.bind("s", "Scale: order or time", () => stage.scale.set(stage.scale.value === "time" ? "order" : "time")),
  );
  return disposer.dispose;
}
