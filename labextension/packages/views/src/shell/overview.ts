import { familyIcon, familyOf, format, h } from "@tapeviz/core";
import { KIND, opTimesOf, type Recording } from "@tapeviz/recording";

interface Kind {
  readonly op: number;
  count: number;
  busy: number;
}

/** The ops that took the longest, all runs of one together; a pause of the garbage collector is no op's time. */
export function timeByOp(recording: Recording): Kind[] {
  const { events } = recording;
  const times = opTimesOf(recording);
  const kinds = new Map<number, Kind>();
  for (let row = 0; row < events.rows; row++) {
    if (events.kind[row] !== KIND.op || events.op[row] < 0) continue;
    let kind = kinds.get(events.op[row]);
    if (!kind) kinds.set(events.op[row], (kind = { op: events.op[row], count: 0, busy: 0 }));
    kind.count += 1;
    kind.busy += times[row];
  }
  return [...kinds.values()].sort((a, b) => b.busy - a.busy);
}

/** What the inspector shows while nothing is selected. */
export function overview(recording: Recording): HTMLElement[] {
  const kinds = timeByOp(recording);
  const total = kinds.reduce((sum, kind) => sum + kind.busy, 0);
  const rows = kinds.slice(0, 8).map(({ op, count, busy }) => {
    const family = familyOf(recording.ops.family[op] ?? "");
    const bar = h(
      "span",
      { class: "tv-share", "aria-hidden": "true" },
      h("i", { style: `width:${(100 * busy) / (kinds[0].busy || 1)}%;background:${family.color}` }),
    );
    return h(
      "li",
      {},
      h(
        "span",
        { class: "tv-share-name" },
        familyIcon(family),
        h("span", { title: recording.ops.name[op], "data-text-may-be-cut": true }, recording.ops.name[op]),
      ),
      h("span", { class: "tv-muted" }, `×${format.count(count)}`),
      h("span", {}, format.percent(busy / (total || 1))),
      bar,
    );
  });
  return [
    h(
      "div",
      { class: "tv-inspector-head" },
      h("h3", {}, "Where the time went"),
      h(
        "p",
        { class: "tv-muted" },
        kinds.length > 0 ? `${format.duration(total)} in ops, forward and backward` : "No op ran by itself",
      ),
    ),
    h("ol", { class: "tv-shares" }, ...rows),
    h(
      "p",
      { class: "tv-muted tv-hint" },
      "Select an op to see its formula, inputs, outputs, gradient and line. Press ? for the keys.",
    ),
  ];
}
