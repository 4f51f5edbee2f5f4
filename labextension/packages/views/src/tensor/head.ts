import { familyIcon, format, h, on, type Disposer } from "@tapeviz/core";
import { factsOf } from "../facts";
import type { ViewContext } from "../view";
import { stepper } from "./stepper";
import type { Series } from "./series";
import type { Compare } from "./viewport";
import { siteText, related, type Related, type Subject } from "./subject";

const MOST_CHIPS = 6;

/** Name, facts, where it was made, and the tensors around it. */
export function mountHeader(
  context: ViewContext,
  subject: Subject,
  compare: Compare,
  choose: (mode: Compare) => void,
  disposer: Disposer,
  series: Series | null,
): HTMLElement {
  const title = h("h2", {}, subject.name);
  return h(
    "header",
    { class: "tvt-head" },
    h(
      "div",
      { class: "tvt-row" },
      h(
        "div",
        { class: "tvt-what" },
        title,
        h("span", { class: "tvt-facts" }, ...subject.facts.map((fact) => h("span", {}, fact))),
      ),
      switcher(compare, choose, disposer, series),
    ),
    h(
      "div",
      { class: "tvt-below" },
      made(context, subject, disposer),
      series && stepper(context, series, disposer),
      chips(context, subject, disposer),
    ),
  );
}

/** Value, gradient, both, or the value and the next one over the run: one radio group. */
function switcher(
  compare: Compare,
  choose: (mode: Compare) => void,
  disposer: Disposer,
  series: Series | null,
): HTMLElement {
  const titles = {
    value: "Value",
    gradient: "Gradient",
    both: "Side by side",
    ...(series ? { next: "And next" } : {}),
  };
  return segmented("what is shown", titles as Record<Compare, string>, compare, choose, disposer);
}

/** A few choices side by side, of which one is taken; arrow keys move between them. */
export function segmented<T extends string>(
  label: string,
  titles: Readonly<Record<T, string>>,
  chosen: T,
  choose: (to: T) => void,
  disposer: Disposer,
): HTMLElement {
  const group = h("div", { class: "tvt-segments", role: "radiogroup", "aria-label": label });
  const names = Object.keys(titles) as T[];
  for (const name of names) {
    const button = h(
      "button",
      {
        type: "button",
        role: "radio",
        "aria-checked": String(name === chosen),
        tabindex: name === chosen ? 0 : -1,
        "data-name": name,
      },
      titles[name],
    );
    disposer.add(on(button, "click", () => choose(name)));
    group.append(button);
  }
  disposer.add(
    on<KeyboardEvent>(group, "keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      choose(names[(names.indexOf(chosen) + by + names.length) % names.length]);
    }),
  );
  return group;
}

function made(context: ViewContext, subject: Subject, disposer: Disposer): HTMLElement {
  const { recording, selection } = context;
  const { producer, site } = subject;
  const location = siteText(recording, site);
  const line = h("div", { class: "tvt-made" });
  if (producer >= 0) line.append(familyIcon(factsOf(recording).family(producer)));
  const text = `${subject.made}${location ? ` in ${location}` : ""}`;
  if (producer < 0) line.append(h("span", {}, text));
  else {
    const button = h("button", { type: "button", class: "tvt-link", title: "select the op that made it" }, text);
    disposer.add(on(button, "click", () => selection.select({ event: producer, tensor: subject.tensor })));
    line.append(button);
  }
  const source = recording.sites.text[site]?.trim();
  if (source) line.append(h("code", { title: source, "data-text-may-be-cut": "" }, source));
  return line;
}

function chips(context: ViewContext, subject: Subject, disposer: Disposer): HTMLElement {
  const row = h("nav", { class: "tvt-related", "aria-label": "related tensors" });
  for (const { title, members } of related(context.recording, subject)) {
    const group = h(
      "span",
      { class: "tvt-group", role: "group", "aria-label": title },
      h("span", { class: "tv-muted" }, title),
    );
    const add = (shown: readonly Related[]): void =>
      group.append(...shown.map((member) => chip(context, member, disposer)));
    add(members.slice(0, MOST_CHIPS));
    if (members.length > MOST_CHIPS) {
      const more = h(
        "button",
        { type: "button", class: "tvt-chip" },
        `${format.count(members.length - MOST_CHIPS)} more`,
      );
      disposer.add(
        on(more, "click", () => {
          more.remove();
          add(members.slice(MOST_CHIPS, 60));
        }),
      );
      group.append(more);
    }
    row.append(group);
  }
  return row;
}

function chip(context: ViewContext, member: Related, disposer: Disposer): HTMLElement {
  const { selection } = context;
  const { tensor, event, name, detail, family } = member;
  const button = h(
    "button",
    { type: "button", class: "tvt-chip" },
    familyIcon(family, 10),
    h("span", {}, name),
    detail && h("small", {}, detail),
  );
  disposer.add(
    on(button, "click", () => selection.select({ tensor, event })),
    on(button, "pointerenter", () => selection.hover({ tensor, event })),
    on(button, "pointerleave", () => selection.hover()),
  );
  return button;
}
