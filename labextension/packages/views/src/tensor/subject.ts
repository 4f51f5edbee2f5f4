import { format } from "@tapeviz/core";
import { KIND, PHASE, SOURCES, type Recording } from "@tapeviz/recording";
import type { Key } from "@tapeviz/core";
import { dtypeOf, gradientFor, gradientOf, indexOf, nameOf, opName, readers, shapeOf, touched } from "../lookup";
import { sizeOf } from "./plane";

/** The tensor that is shown, and what there is to say of it in a line. */
export interface Subject {
  readonly tensor: number;
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly size: number;
  /** "(32, 64) float32 · 2 048 elements · 8 KiB · CPU:0" */
  readonly facts: readonly string[];
  /** "made by relu" and the line, or where else it came from. */
  readonly made: string;
  readonly producer: number;
  readonly site: number;
  /** Its gradient's tensor, -1 for None, undefined when none was worked out. */
  readonly gradient: number | undefined;
}

/** The tensor of a selection: the one selected, else the first output of the event selected, else its first input. */
export function chosen(recording: Recording, { event, tensor }: Key): number {
  if (tensor >= 0) return tensor;
  if (event < 0) return -1;
  return touched(recording, event, "out")[0] ?? touched(recording, event, "in")[0] ?? -1;
}

export function subjectOf(recording: Recording, tensor: number): Subject | null {
  const row = indexOf(recording).tensorRow(tensor);
  if (row < 0) return null;
  const { tensors, devices } = recording;
  const [shape, dtype, producer] = [shapeOf(recording, tensor), dtypeOf(recording, tensor), tensors.producer[row]];
  const size = sizeOf(shape);
  const device = devices.name[tensors.device[row]];
  const site = siteOf(recording, tensor, producer);
  return {
    tensor, shape, dtype, size, producer, site,
    name: nameOf(recording, tensor),
    facts: [format.spec(shape, dtype), format.plural(size, "element"), format.bytes(tensors.nbytes[row]), ...(device ? [device] : [])],
    made: madeBy(recording, row),
    gradient: gradientOf(recording, tensor),
  };
}

function siteOf(recording: Recording, tensor: number, producer: number): number {
  if (producer >= 0) return recording.events.site[producer] ?? -1;
  const { tensors, variables } = recording;
  const variable = variables.id.indexOf(tensors.variable[indexOf(recording).tensorRow(tensor)]);
  return variable < 0 ? -1 : variables.site[variable];
}

function madeBy(recording: Recording, row: number): string {
  const { tensors, events } = recording;
  const producer = tensors.producer[row];
  const variable = tensors.variable[row] >= 0;
  if (producer >= 0) {
    const op = opName(recording, producer) || "a span";
    return `${variable ? "variable, " : ""}made by ${op}${events.phase[producer] === PHASE.backward ? " backward" : ""}`;
  }
  if (variable) return "variable";
  return { op: "made by an op", constant: "constant", variable: "variable", gradient: "the seed of a backward pass", host: "from the host", unknown: "was there before" }[
    SOURCES[tensors.source[row]] ?? "unknown"
  ];
}

/** "cell 3, line 4" or "model.py, line 12"; empty when the site is not known. */
export function placeOf(recording: Recording, site: number): string {
  const { sites, cells } = recording;
  if (site < 0 || site >= sites.rows) return "";
  const cell = sites.cell[site];
  const file = cell >= 0 ? `cell ${cells.number[cell]}` : (sites.file[site].split(/[\\/]/).at(-1) ?? "");
  return `${file}, line ${sites.line[site]}`;
}

/** A tensor next to the one shown, one click away. */
export interface Related {
  readonly tensor: number;
  readonly name: string;
  readonly detail: string;
  /** The event to select with it, -1 to keep to the tensor. */
  readonly event: number;
  /** An op family's name for the glyph, or "" for a tensor from outside. */
  readonly family: string;
}

export interface Group {
  readonly title: string;
  readonly members: readonly Related[];
}

/** What is around a tensor: what it was made of and with, what read it, its gradient, and what it is the gradient of. */
export function related(recording: Recording, subject: Subject): Group[] {
  const { producer, tensor } = subject;
  const member = (t: number, event = -1): Related => relate(recording, t, event);
  const inputs = producer < 0 ? [] : touched(recording, producer, "in");
  const outputs = producer < 0 ? [] : touched(recording, producer, "out").filter((t) => t !== tensor);
  const forward = gradientFor(recording, tensor);
  const groups: Group[] = [
    { title: "made from", members: inputs.map((t) => member(t)) },
    { title: "made with", members: outputs.map((t) => member(t)) },
    { title: "read by", members: readBy(recording, tensor) },
    { title: "its gradient", members: subject.gradient !== undefined && subject.gradient >= 0 ? [member(subject.gradient)] : [] },
    { title: "gradient of", members: forward >= 0 && forward !== tensor ? [member(forward)] : [] },
    { title: "partner", members: partners(recording, producer).map((t) => member(t)) },
  ];
  return groups.filter((group) => group.members.length > 0);
}

function relate(recording: Recording, tensor: number, event: number): Related {
  const { tensors, events, ops } = recording;
  const row = indexOf(recording).tensorRow(tensor);
  const producer = row < 0 ? -1 : tensors.producer[row];
  const family = row >= 0 && tensors.variable[row] >= 0 ? "variable" : (ops.family[events.op[producer]] ?? "");
  return { tensor, name: nameOf(recording, tensor), detail: format.shape(shapeOf(recording, tensor)), event, family };
}

/** The ops that read a tensor, each with what it made. */
function readBy(recording: Recording, tensor: number): Related[] {
  const { events, ops, sites } = recording;
  return readers(recording, tensor).filter((e) => events.kind[e] === KIND.op).map((event) => ({
    tensor: touched(recording, event, "out")[0] ?? tensor,
    name: `${opName(recording, event)}${events.phase[event] === PHASE.backward ? " backward" : ""}`,
    detail: events.site[event] >= 0 ? `line ${sites.line[events.site[event]]}` : "",
    event,
    family: ops.family[events.op[event]] ?? "",
  }));
}

/** What the other half of an op made: for a forward op its backward step's gradients, and the way round. */
function partners(recording: Recording, producer: number): number[] {
  const { events } = recording;
  if (producer < 0) return [];
  const origin = events.origin[producer];
  if (origin >= 0) return touched(recording, origin, "out");
  const backward = events.origin.indexOf(producer);
  return backward < 0 ? [] : touched(recording, backward, "out");
}
