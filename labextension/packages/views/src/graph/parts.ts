import type { ExpansionState } from "../layered/expansion";
import { LEGIBLE_SCALE } from "./layout";
import { levelsOf, type Level } from "./levels";
import type { GraphModel } from "./model";
import { FOLD_THRESHOLD, type Item } from "./scopes";

/** From so many scopes on a scope is made of parts: a model of its layers, and not a layer of its ops. */
const PARTS = 2;
/** From this scale on most names are not cut. */
const NAMES_IN_FULL = 0.52;
/** So many are tried: behind them nothing would be read any more. */
const MOST_TRIED = 8;

/**
 * The keys of what is open before anybody opens something: in a folded graph the scopes that are made of parts, the
 * first and outermost first, as long as the picture with them is still to be read. So a model is seen by its layers, and
 * its gradients by them where there is room for names in full. `scaleOf` says how large a picture is drawn.
 */
export function partsOpened(
  model: GraphModel,
  expansion: ExpansionState,
  scaleOf: (level: Level) => number,
): ReadonlySet<string> {
  let open: ReadonlySet<string> = new Set();
  if (model.root.size <= FOLD_THRESHOLD) return open;
  const waiting: Item[] = [...model.root.items];
  for (let at = 0, tried = 0; at < waiting.length && tried < MOST_TRIED; at++) {
    const item = waiting[at];
    if (typeof item === "number" || !isOfParts(item)) continue;
    tried += 1;
    const more = new Set([...open, item.key]);
    const least = open.size === 0 ? LEGIBLE_SCALE : NAMES_IN_FULL;
    if (scaleOf(levelsOf(model, withParts(expansion, more))) < least) break;
    open = more;
    waiting.push(...item.items);
  }
  return open;
}

/** What the user opened and closed, and what is open by itself. */
export function withParts({ opened, closed }: ExpansionState, parts: ReadonlySet<string>): ExpansionState {
  return { opened: new Set([...parts, ...opened]), closed };
}

function isOfParts({ kind, items }: Exclude<Item, number>): boolean {
  const parts = items.filter((item) => typeof item !== "number" && (item.kind === "scope" || item.kind === "repeat"));
  return kind === "scope" && parts.length >= PARTS;
}
