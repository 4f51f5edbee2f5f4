// Finding nodes of traced graphs by a filter. Terms about what ran hold for nodes whose events they hold for.

import { dimensionsOf, glob, masksOf, matchesShape, type TextPredicate } from "./filter";
import { graphsOf, type Graphs } from "./graphs";
import { parseFilter, type Term } from "./grammar";
import { queriesOf } from "./queries";
import type { Recording } from "./recording";

/** A flag for each row of `nodes`: 1 where every term holds. Throws a `FilterError`. */
export function selectNodes(recording: Recording, text: string): Uint8Array {
  const graphs = graphsOf(recording);
  const flags = new Uint8Array(recording.nodes.rows).fill(1);
  for (const term of parseFilter(text)) {
    const holds = testOf(graphs, term);
    for (let row = 0; row < flags.length; row++) if (flags[row] && holds(row) === term.negated) flags[row] = 0;
  }
  return flags;
}

function testOf(graphs: Graphs, term: Term): (row: number) => boolean {
  const { nodes, ops, sites } = graphs.recording;
  const op = (row: number): string => ops.name[nodes.op[row]] ?? "";
  switch (term.key) {
    case "op": {
      const test = glob(term.values);
      return (row) => test(op(row));
    }
    case "name": {
      const test = glob(term.values);
      return (row) => test(nodes.name[row]) || test(nodes.name[row].slice(nodes.name[row].lastIndexOf("/") + 1));
    }
    case "module":
      return inScope(graphs, glob(term.values));
    case "line": {
      const bounds = term.values.map((range) => range.split("-").map(Number) as [number, number]);
      return (row) =>
        bounds.some(([a, b]) => (sites.line[nodes.site[row]] ?? -1) >= a && sites.line[nodes.site[row]] <= b);
    }
    case "device": {
      const test = glob(term.values.flatMap((value) => [value, `${value}:*`, `*${value}`, `*${value}:*`]));
      return (row) => nodes.device[row] !== "" && test(nodes.device[row]);
    }
    case "dtype": {
      const test = glob(term.values);
      return (row) => graphs.specs(row).some(({ dtype }) => test(dtype));
    }
    case "shape": {
      const wanted = term.values.map(dimensionsOf);
      const like = (shape: readonly (number | null)[]): boolean =>
        wanted.some((one) =>
          matchesShape(
            one,
            shape.map((size) => (size === null ? "?" : String(size))),
          ),
        );
      return (row) => graphs.specs(row).some(({ shape }) => shape !== null && like(shape));
    }
    case "word": {
      const part = term.values[0].toLowerCase();
      return (row) => nodes.name[row].toLowerCase().includes(part) || op(row).toLowerCase().includes(part);
    }
    default:
      return ran(graphs, term);
  }
}

function inScope({ recording: { nodes } }: Graphs, test: TextPredicate): (row: number) => boolean {
  return (row) => {
    const parts = nodes.name[row].split("/").slice(0, -1);
    return parts.some((part, i) => test(part) || test(parts.slice(0, i + 1).join("/")));
  };
}

/** Nodes that were run by an event for which a term holds. */
function ran(graphs: Graphs, term: Term): (row: number) => boolean {
  const queries = queriesOf(graphs.recording);
  const { events } = masksOf(queries, term);
  return (row) => graphs.eventsOf(row).some((event) => events[queries.eventRow(event)] === 1);
}
