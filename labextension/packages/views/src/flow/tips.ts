import { format } from "@tapeviz/core";
import { magnitudeOf, glyphText } from "../figures";
import type { FlowCardContent } from "./cardcontent";
import type { Hit } from "./find";
import type { Model } from "./model";

/** What appears beside the pointer. */
export function tipFor(model: Model, at: NonNullable<Hit>): { title: string; lines: string[] } {
  if ("card" in at) return cardTip(model, at.card.tile, at.card.content);
  if ("frame" in at) {
    const { title, size } = at.frame.group;
    return {
      title,
      lines: [format.plural(size, "op"), "A click closes it; Backspace the one around the selected card"],
    };
  }
  if ("gap" in at) {
    const { gap } = at.gap;
    const { verdicts } = model.graph.facts.recording;
    const fix = verdicts.fix[gap.verdict];
    const said = gap.verdict < 0 ? [] : [verdicts.text[gap.verdict], fix && `To fix it: ${fix}`];
    return { title: `✕ ${gap.title}`, lines: [gap.detail, ...said].filter(Boolean) };
  }
  return edgeTip(model, at.edge.link);
}

function cardTip(model: Model, tile: number, content: FlowCardContent): { title: string; lines: string[] } {
  const { figures, gradient } = content;
  const group = model.tiles[tile].group;
  const value = figures && !Number.isNaN(figures.mean) ? `mean ${format.number(figures.mean)}` : "";
  const variables = group
    ? model.tiles[tile].members.filter((node) => model.graph.nodes[node].source === "variable").length
    : 0;
  const lines = [
    [content.stack > 1 ? `${content.sub} each` : content.sub, content.shape].filter(Boolean).join(" · "),
    [content.range && `value ${content.range}`, value].filter(Boolean).join(" · "),
    gradient ? `gradient's norm ${glyphText(gradient)}` : "",
    content.addends > 1 ? `the sum of ${content.addends} addends` : "",
    variables > 0 ? format.plural(variables, "variable") : "",
    group ? "Enter or a double click opens it" : "",
  ];
  return {
    title: content.stack > 1 ? `${content.title} ×${content.stack}` : content.title,
    lines: lines.filter(Boolean),
  };
}

function edgeTip(model: Model, index: number): { title: string; lines: string[] } {
  const { graph, links } = model;
  const link = links[index];
  const addends = link.edges.flatMap((edge) => graph.edges[edge].addends);
  const lines = addends.slice(0, 4).map((addend) => `gives back ${glyphText(magnitudeOf(graph.facts, addend.tensor))}`);
  if (addends.length > 4) lines.push(`and ${format.plural(addends.length - 4, "more addend")}`);
  if (addends.length === 0 && graph.pass) lines.push("no gradient comes back");
  return { title: graph.facts.name(link.tensor), lines };
}
