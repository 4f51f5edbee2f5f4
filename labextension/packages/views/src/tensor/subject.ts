import { familyOf, format, type Family, type Key } from "@tapeviz/core";
import { SOURCES, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";
import { gradientFor, gradientOf } from "./gradients";
import { sizeOf } from "./plane";

/** The tensor that is shown, and what there is to say of it in a line. */
export interface Subject {
  readonly tensor: number;
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly size: number;
  /** Shape and type as TensorFlow says them, elements, bytes, device. */
  readonly facts: readonly string[];
  /** "made by relu", or where else it came from. */
  readonly made: string;
  readonly producer: number;
  /** Row of `sites`, -1 when it is not known. */
  readonly site: number;
  /** Its gradient's tensor, -1 for None, undefined when nobody asked for it. */
  readonly gradient: number | undefined;
}

/** The tensor of a selection: the one selected, else the first output of the event selected, else its first input. */
export function selectedTensor(recording: Recording, { event, tensor }: Key): number {
  if (tensor >= 0) return tensor;
  const facts = factsOf(recording);
  return event < 0 ? -1 : (facts.outputs(event)[0] ?? facts.inputs(event)[0] ?? -1);
}

export function subjectOf(recording: Recording, tensor: number): Subject | null {
  const facts = factsOf(recording);
  const row = facts.tensorRow(tensor);
  if (row < 0) return null;
  const { tensors, devices } = recording;
  const [shape, dtype, producer] = [facts.shape(tensor), facts.dtype(tensor), facts.producer(tensor)];
  const size = sizeOf(shape);
  const device = devices.name[tensors.device[row]];
  return {
    tensor,
    shape,
    dtype,
    size,
    producer,
    name: facts.name(tensor),
    facts: [
      format.spec(shape, dtype),
      format.plural(size, "element"),
      format.bytes(tensors.nbytes[row]),
      ...(device ? [device] : []),
    ],
    made: madeBy(recording, tensor),
    site: siteOf(recording, tensor),
    gradient: gradientOf(recording, tensor),
  };
}

function siteOf(recording: Recording, tensor: number): number {
  const facts = factsOf(recording);
  const producer = facts.producer(tensor);
  if (producer >= 0) return facts.location(producer)?.site ?? -1;
  const { tensors, variables } = recording;
  const variable = variables.id.indexOf(tensors.variable[facts.tensorRow(tensor)]);
  return variable < 0 ? -1 : variables.site[variable];
}

const ORIGINS: Readonly<Record<(typeof SOURCES)[number], string>> = {
  op: "made by an op",
  constant: "a constant",
  variable: "a variable's value",
  gradient: "the seed of a backward pass",
  host: "from the host",
  unknown: "there before the recording began",
  earlier: "made before the ops that the recording kept",
};

function madeBy(recording: Recording, tensor: number): string {
  const { tensors } = recording;
  const facts = factsOf(recording);
  const row = facts.tensorRow(tensor);
  const producer = facts.producer(tensor);
  const variable = tensors.variable[row] >= 0;
  if (producer >= 0) {
    const backward = facts.isBackward(producer) ? ", backward" : "";
    return `${variable ? "a variable's value, " : ""}made by ${facts.title(producer)}${backward}`;
  }
  return variable ? ORIGINS.variable : ORIGINS[SOURCES[tensors.source[row]] ?? "unknown"];
}

/** "cell 3, line 4" or "model.py, line 12"; empty when the site is not known. */
export function siteText(recording: Recording, site: number): string {
  const { sites, cells } = recording;
  if (site < 0 || site >= sites.rows) return "";
  const cell = sites.cell[site];
  const file = cell >= 0 ? `cell ${cells.number[cell]}` : (sites.file[site].split(/[\\/]/).at(-1) ?? "");
  return `${file}, line ${sites.line[site]}`;
}

/** The family that a tensor's glyph says: that of a variable, else of the op that made it. */
export function familyOfTensor(recording: Recording, tensor: number): Family {
  const facts = factsOf(recording);
  const variable = recording.tensors.variable[facts.tensorRow(tensor)] >= 0;
  return variable ? familyOf("variable") : facts.family(facts.producer(tensor));
}

/** A tensor next to the one shown, one click away. */
export interface Related {
  readonly tensor: number;
  readonly name: string;
  readonly detail: string;
  /** The event to select with it, -1 to keep to the tensor. */
  readonly event: number;
  readonly family: Family;
}

export interface Group {
  readonly title: string;
  readonly members: readonly Related[];
}

/** What is around a tensor: what it was made of and with, what read it, its gradient, and what it is the gradient of. */
export function related(recording: Recording, subject: Subject): Group[] {
  const { producer, tensor, gradient } = subject;
  const facts = factsOf(recording);
  const member = (t: number): Related => ({
    tensor: t,
    name: facts.name(t),
    detail: format.shape(facts.shape(t)),
    event: -1,
    family: familyOfTensor(recording, t),
  });
  const forward = gradientFor(recording, tensor);
  const groups: [string, readonly number[]][] = [
    ["made from", producer < 0 ? [] : [...facts.inputs(producer)]],
    ["made with", producer < 0 ? [] : [...facts.outputs(producer)].filter((t) => t !== tensor)],
    ["its gradient", gradient !== undefined && gradient >= 0 ? [gradient] : []],
    ["gradient of", forward >= 0 ? [forward] : []],
  ];
  const found = groups.map(([title, tensors]) => ({ title, members: [...new Set(tensors)].map(member) }));
  const around = [
    found[0],
    found[1],
    { title: "read by", members: readBy(recording, tensor) },
    found[2],
    found[3],
    partners(recording, producer),
  ];
  return around.filter((group) => group.members.length > 0);
}

/** A weight of a long run is read by every step: more than these are not listed. */
const MOST_READERS = 200;

/** The ops that read a tensor, each with what it made. */
function readBy(recording: Recording, tensor: number): Related[] {
  const facts = factsOf(recording);
  const ops = [...new Set(facts.consumers(tensor).subarray(0, MOST_READERS))].filter((event) => facts.isOp(event));
  return ops.map((event) => ofEvent(recording, event, facts.outputs(event)[0] ?? tensor));
}

function ofEvent(recording: Recording, event: number, tensor: number): Related {
  const facts = factsOf(recording);
  const line = facts.location(event)?.line;
  const name = `${facts.title(event)}${facts.isBackward(event) ? ", backward" : ""}`;
  return { tensor, name, detail: line === undefined ? "" : `line ${line}`, event, family: facts.family(event) };
}

/** The other half of the op that made a tensor: of a forward op its backward step, and the other way round. */
function partners(recording: Recording, producer: number): Group {
  const facts = factsOf(recording);
  const events = producer < 0 ? [] : facts.partners(producer);
  const member = (event: number): Related => ({
    ...ofEvent(recording, event, facts.outputs(event)[0] ?? -1),
    name: facts.isBackward(event) ? "backward step" : "forward op",
    detail: "",
  });
  return { title: "partner", members: events.map(member) };
}
