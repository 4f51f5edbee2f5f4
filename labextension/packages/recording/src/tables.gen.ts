// Made by python -m tapeviz.recording.codegen from schema.py. Do not edit.
export const KINDS = [
  "op",
  "span",
  "transfer",
  "gc",
  "marker",
] as const;
export const KIND = {
  op: 0,
  span: 1,
  transfer: 2,
  gc: 3,
  marker: 4,
} as const;

export const PHASES = [
  "forward",
  "backward",
] as const;
export const PHASE = {
  forward: 0,
  backward: 1,
} as const;

export const STATUSES = [
  "ok",
  "failed",
  "interrupted",
] as const;
export const STATUS = {
  ok: 0,
  failed: 1,
  interrupted: 2,
} as const;

export const ROLES = [
  "in",
  "out",
  "saved",
] as const;
export const ROLE = {
  in: 0,
  out: 1,
  saved: 2,
} as const;

export const SOURCES = [
  "op",
  "constant",
  "variable",
  "gradient",
  "host",
  "unknown",
  "earlier",
] as const;
export const SOURCE = {
  op: 0,
  constant: 1,
  variable: 2,
  gradient: 3,
  host: 4,
  unknown: 5,
  earlier: 6,
} as const;

export const EXITS = [
  "numpy",
  "array",
  "python",
  "enter",
  "unwatched",
  "dtype",
  "shown",
] as const;
export const EXIT = {
  numpy: 0,
  array: 1,
  python: 2,
  enter: 3,
  unwatched: 4,
  dtype: 5,
  shown: 6,
} as const;

export const HEALTHS = [
  "ok",
  "zero",
  "vanishing",
  "exploding",
  "nonfinite",
  "none",
  "unknown",
] as const;
export const HEALTH = {
  ok: 0,
  zero: 1,
  vanishing: 2,
  exploding: 3,
  nonfinite: 4,
  none: 5,
  unknown: 6,
} as const;

export const DTYPES = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
  "complex64",
  "complex128",
  "string",
] as const;
export const DTYPE = {
  float16: 0,
  bfloat16: 1,
  float32: 2,
  float64: 3,
  int8: 4,
  int16: 5,
  int32: 6,
  int64: 7,
  uint8: 8,
  uint16: 9,
  uint32: 10,
  uint64: 11,
  bool: 12,
  complex64: 13,
  complex128: 14,
  string: 15,
} as const;

/** A row is something that happened: an op run, the start of a span, a transfer, a GC pause, a marker. */
export interface EventsTable {
  readonly rows: number;
  /** number of the event, counting up in the order of starting, rank by rank [event] */
  readonly id: Int32Array;
  /** the span it happened in, -1 at the top [event] */
  readonly parent: Int32Array;
  /** what sort of event it is [KINDS] */
  readonly kind: Uint8Array;
  /** the declaration that ran, -1 for a span [ops row] */
  readonly op: Int32Array;
  /** forward, or part of a backward pass [PHASES] */
  readonly phase: Uint8Array;
  /** the forward event that a backward event is the partner of, -1 for others [event] */
  readonly origin: Int32Array;
  /** where it ran [devices row] */
  readonly device: Uint8Array;
  /** the thread that ran it [threads row] */
  readonly thread: Uint8Array;
  /** when it began [ns] */
  readonly t0: Float64Array;
  /** how long it took; 0 for a span, whose end is a row of ends [ns] */
  readonly dur: Float64Array;
  /** how it ended [STATUSES] */
  readonly status: Uint8Array;
  /** the line of the user's that called it [sites row] */
  readonly site: Int32Array;
  /** attributes as JSON, such as axis; for a span its sort and name [strings row] */
  readonly params: Int32Array;
  /** the training step it belongs to, -1 outside one */
  readonly step: Int32Array;
}

/** A row is the end of a span. */
export interface EndsTable {
  readonly rows: number;
  /** the span that ended [event] */
  readonly event: Int32Array;
  /** when it ended [ns] */
  readonly t: Float64Array;
  /** how it ended [STATUSES] */
  readonly status: Uint8Array;
}

/** A row is what an error or a warning of an event said. */
export interface MessagesTable {
  readonly rows: number;
  /** the event it belongs to [event] */
  readonly event: Int32Array;
  /** the class of the error */
  readonly type: readonly string[];
  /** its message */
  readonly text: readonly string[];
}

/** A row is a declaration that was used, so that views need no engine. */
export interface OpsTable {
  readonly rows: number;
  /** the op's name */
  readonly name: readonly string[];
  /** what sort of op: linalg, elementwise, reduction, shape, collective and so on */
  readonly family: readonly string[];
  /** what it computes [LaTeX] */
  readonly formula: readonly string[];
  /** its gradient, one line an input, in the order of the inputs [LaTeX] */
  readonly vjp_formula: readonly string[];
  /** one 0 or 1 an input; a single * where all have a gradient; empty: none has */
  readonly differentiable: readonly string[];
  /** what else is true of it: words of tapeviz.engine.traits and its effects, by spaces */
  readonly traits: readonly string[];
  /** the ends of the interval that its last input has to be inside, such as -1 1 or 0 inf */
  readonly domain: readonly string[];
  /** of an op without a gradient what to use in its place, as a clause */
  readonly surrogate: readonly string[];
}

/** A row is a tensor touched by an event. */
export interface EdgesTable {
  readonly rows: number;
  /** the event [event] */
  readonly event: Int32Array;
  /** the tensor [tensor] */
  readonly tensor: Int32Array;
  /** read by it, made by it, or kept for the backward pass [ROLES] */
  readonly role: Uint8Array;
  /** which input or output of the event it is */
  readonly slot: Uint16Array;
}

/** A row is a tensor coming to life. */
export interface TensorsTable {
  readonly rows: number;
  /** number of the tensor [tensor] */
  readonly id: Int32Array;
  /** its shape as JSON, such as [32, 64] [strings row] */
  readonly shape: Int32Array;
  /** the type of its elements [DTYPES] */
  readonly dtype: Uint8Array;
  /** where its memory is [devices row] */
  readonly device: Uint8Array;
  /** size of its elements in memory [bytes] */
  readonly nbytes: Float64Array;
  /** the tensor whose memory it shares; itself when the memory is its own [tensor] */
  readonly storage: Int32Array;
  /** the event that made it, -1 when that is not in the recording [event] */
  readonly producer: Int32Array;
  /** the variable whose value it is, -1 for others [variable] */
  readonly variable: Int32Array;
  /** where it came from [SOURCES] */
  readonly source: Uint8Array;
}

/** A row is a name the user gave a tensor: the name stored right after the call that made it. */
export interface NamesTable {
  readonly rows: number;
  /** the tensor [tensor] */
  readonly tensor: Int32Array;
  /** the user's name */
  readonly name: readonly string[];
  /** when it was given [ns] */
  readonly t: Float64Array;
}

/** A row is the end of a tensor. */
export interface ReleasesTable {
  readonly rows: number;
  /** the tensor [tensor] */
  readonly tensor: Int32Array;
  /** when the last reference to it went [ns] */
  readonly t: Float64Array;
}

/** A row is a contribution to a gradient; the last row of a tensor in a backward pass has its whole gradient. */
export interface GradientsTable {
  readonly rows: number;
  /** the backward event, or the backward span for a seed [event] */
  readonly backward: Int32Array;
  /** the forward tensor whose gradient it is [tensor] */
  readonly tensor: Int32Array;
  /** the sum so far, this contribution included [tensor] */
  readonly gradient: Int32Array;
  /** this contribution [tensor] */
  readonly addend: Int32Array;
}

/** A row is one source of one call of gradient(). */
export interface RequestsTable {
  readonly rows: number;
  /** the span of the backward pass [event] */
  readonly event: Int32Array;
  /** the tape asked [tape] */
  readonly tape: Int32Array;
  /** the tensor that was differentiated (the first, when there were several) [tensor] */
  readonly target: Int32Array;
  /** the tensor it was differentiated by; for a variable its value then [tensor] */
  readonly source: Int32Array;
  /** the variable it was differentiated by, -1 for a tensor [variable] */
  readonly variable: Int32Array;
  /** the answer, -1 for None [tensor] */
  readonly gradient: Int32Array;
  /** 1 when the user got zeros in the place of None, as asked for [bool] */
  readonly filled: Uint8Array;
}

/** A row is a variable that was made or used. */
export interface VariablesTable {
  readonly rows: number;
  /** number of the variable [variable] */
  readonly id: Int32Array;
  /** its name in TensorFlow's form, such as Variable:0 */
  readonly name: readonly string[];
  /** 1 when tapes watch it by themselves [bool] */
  readonly trainable: Uint8Array;
  /** where it was made, -1 when it was there before [sites row] */
  readonly site: Int32Array;
}

/** A row is the life of a gradient tape: a row when it starts to record and a row at each change. */
export interface TapesTable {
  readonly rows: number;
  /** number of the tape [tape] */
  readonly id: Int32Array;
  /** when [ns] */
  readonly t: Float64Array;
  /** enter, exit, stop, resume, reset or used */
  readonly change: readonly string[];
  /** 1 when it answers more than one question [bool] */
  readonly persistent: Uint8Array;
  /** 1 when it watches trainable variables by itself, 2 when it watches all tensors */
  readonly accessed: Uint8Array;
  /** the line that did it [sites row] */
  readonly site: Int32Array;
}

/** A row is a tape told to watch a tensor. */
export interface WatchesTable {
  readonly rows: number;
  /** the tape [tape] */
  readonly tape: Int32Array;
  /** the tensor; for a variable its value then [tensor] */
  readonly tensor: Int32Array;
  /** when [ns] */
  readonly t: Float64Array;
  /** 1 for a variable watched because it was read [bool] */
  readonly automatic: Uint8Array;
}

/** A row is a summary of a tensor's elements; the figures are over the finite ones. */
export interface StatsTable {
  readonly rows: number;
  /** the tensor [tensor] */
  readonly tensor: Int32Array;
  /** smallest */
  readonly min: Float64Array;
  /** largest */
  readonly max: Float64Array;
  /** mean */
  readonly mean: Float64Array;
  /** standard deviation */
  readonly std: Float64Array;
  /** Euclidean norm of all elements; nan or inf when one is */
  readonly norm: Float64Array;
  /** how many are NaN [elements] */
  readonly nan: Float64Array;
  /** how many are +inf [elements] */
  readonly posinf: Float64Array;
  /** how many are -inf [elements] */
  readonly neginf: Float64Array;
  /** how many are 0 [elements] */
  readonly zero: Float64Array;
  /** how many are finite and below 0 [elements] */
  readonly negative: Float64Array;
  /** flat index of the first one that is not finite, -1 when all are [element] */
  readonly bad: Float64Array;
  /** 32 equal bins from min to max [u4 counts] */
  readonly histogram: readonly Uint8Array[];
}

/** A row is a run of a tensor's elements. */
export interface ValuesTable {
  readonly rows: number;
  /** the tensor [tensor] */
  readonly tensor: Int32Array;
  /** flat index of the first element here [elements] */
  readonly offset: Float64Array;
  /** how many follow [elements] */
  readonly length: Float64Array;
  /** the elements in the tensor's own dtype, C order [elements] */
  readonly data: readonly Uint8Array[];
}

/** A row is mathematics leaving or entering the engine. */
export interface ExitsTable {
  readonly rows: number;
  /** the last event before it [event] */
  readonly event: Int32Array;
  /** the tensor read, or the tensor made from a host array [tensor] */
  readonly tensor: Int32Array;
  /** how [EXITS] */
  readonly kind: Uint8Array;
  /** the line [sites row] */
  readonly site: Int32Array;
  /** where the array's memory is, to match an exit with an entry; 0 unknown [address] */
  readonly memory: Float64Array;
  /** when [ns] */
  readonly t: Float64Array;
}

/** A row is a line of the user's code: the nearest frame outside tapeviz. */
export interface SitesTable {
  readonly rows: number;
  /** the file, or the notebook cell's made-up file name */
  readonly file: readonly string[];
  /** line in the file or cell, from 1 */
  readonly line: Int32Array;
  /** first character of the call in the line, from 0, -1 unknown */
  readonly column: Int32Array;
  /** one past its last character */
  readonly end_column: Int32Array;
  /** qualified name of the function */
  readonly function: readonly string[];
  /** the notebook cell, -1 outside one [cells row] */
  readonly cell: Int32Array;
  /** the source line */
  readonly text: readonly string[];
}

/** A row is a notebook cell that ran while recording. */
export interface CellsTable {
  readonly rows: number;
  /** its execution count */
  readonly number: Int32Array;
  /** the made-up file name that tracebacks use for it */
  readonly file: readonly string[];
  /** its source, the magic line included */
  readonly text: readonly string[];
  /** which of the text's lines is line 1 of the file: 1, or 2 below a cell magic */
  readonly first: Int32Array;
}

/** A row is a device. */
export interface DevicesTable {
  readonly rows: number;
  /** such as CPU:0 */
  readonly name: readonly string[];
  /** the process that has it, -1 where the recording is of one alone [ranks row] */
  readonly rank: Int32Array;
}

/** A row is a thread. */
export interface ThreadsTable {
  readonly rows: number;
  /** its name */
  readonly name: readonly string[];
  /** the process that it is of, -1 where the recording is of one alone [ranks row] */
  readonly rank: Int32Array;
}

/** A row is a process whose recording is a part of this one; a recording of one process alone has none. */
export interface RanksTable {
  readonly rows: number;
  /** its rank, from 0 */
  readonly number: Int32Array;
  /** when its own recording began [ns] */
  readonly t0: Float64Array;
  /** how many ns its clock was said to be ahead of the first rank's; NaN: taken as 0 */
  readonly ahead: Float64Array;
  /** how many ns its beginning may be wrong by its own clock; NaN: not known */
  readonly uncertainty: Float64Array;
  /** its first event; its others have the numbers that follow, up to the next rank's [event] */
  readonly event: Int32Array;
  /** its first tensor [tensor] */
  readonly tensor: Int32Array;
  /** its first variable [variable] */
  readonly variable: Int32Array;
  /** its first tape [tape] */
  readonly tape: Int32Array;
  /** its first graph [graph] */
  readonly graph: Int32Array;
}

/** A row is a text that other tables point to. */
export interface StringsTable {
  readonly rows: number;
  /** the text */
  readonly text: readonly string[];
}

/** A row is a finding about this recording. */
export interface VerdictsTable {
  readonly rows: number;
  /** what sort of finding it is, such as gradient_none or broadcast */
  readonly kind: readonly string[];
  /** 1 worth knowing, 2 likely a fault, 3 a fault */
  readonly severity: Uint8Array;
  /** where to look, -1 nowhere in particular [event] */
  readonly event: Int32Array;
  /** what to look at, -1 nothing in particular [tensor] */
  readonly tensor: Int32Array;
  /** the line [sites row] */
  readonly site: Int32Array;
  /** the finding as a sentence */
  readonly text: readonly string[];
  /** what to do */
  readonly fix: readonly string[];
  /** figures as JSON; for gradient_none the reason, the path from source and from target */
  readonly evidence: readonly string[];
}

/** A row is a gradient judged, written with the verdicts: each one asked for, and others that are not well. */
export interface HealthTable {
  readonly rows: number;
  /** the source asked for, -1 for a gradient on the way [requests row] */
  readonly request: Int32Array;
  /** the tensor it is the gradient by [tensor] */
  readonly tensor: Int32Array;
  /** the gradient, -1 for None [tensor] */
  readonly gradient: Int32Array;
  /** what it is; unknown when there are no statistics to tell by [HEALTHS] */
  readonly health: Uint8Array;
  /** the norm below which it is called vanishing; NaN when that is not known */
  readonly low: Float64Array;
  /** the norm above which it is called exploding; NaN when that is not known */
  readonly high: Float64Array;
}

/** A row is a traced graph: one trace of a function, a branch or body inside one, or a graph built by hand. */
export interface GraphsTable {
  readonly rows: number;
  /** number of the graph [graph] */
  readonly id: Int32Array;
  /** the graph that it is a branch or body of, or was traced inside; -1 for others [graph] */
  readonly parent: Int32Array;
  /** of a trace the function's name, else what it is, such as true branch */
  readonly name: readonly string[];
  /** function, cond, while, gradient, session or cell */
  readonly sort: readonly string[];
  /** number of the traced function, which all its traces share; -1 for others [function] */
  readonly function: Int32Array;
  /** which trace of that function it is, from 1 */
  readonly trace: Int32Array;
  /** the call that made the trace [sites row] */
  readonly site: Int32Array;
  /** the first line of the function's own text [sites row] */
  readonly definition: Int32Array;
  /** when tracing began [ns] */
  readonly t: Float64Array;
  /** how long AutoGraph took [ns] */
  readonly converting: Float64Array;
  /** how long tracing took, without AutoGraph [ns] */
  readonly tracing: Float64Array;
  /** how long the passes and the executor's making took [ns] */
  readonly planning: Float64Array;
  /** the signature: a list of [argument, what it was traced as] [JSON] */
  readonly key: readonly string[];
  /** why it was traced, as a sentence */
  readonly reason: readonly string[];
  /** the argument whose change made it a retrace; empty for a first trace */
  readonly argument: readonly string[];
  /** what the argument was in the nearest earlier trace */
  readonly before: readonly string[];
  /** what it is in this one */
  readonly after: readonly string[];
  /** what to do against it, empty where nothing should be done */
  readonly fix: readonly string[];
  /** the function's text [strings row] */
  readonly source: Int32Array;
  /** what AutoGraph made of it, -1 where it did not run [strings row] */
  readonly generated: Int32Array;
  /** which of the user's lines each generated one comes from: [[generated, line]] [JSON] */
  readonly lines: readonly string[];
}

/** A row is a node of a graph. */
export interface NodesTable {
  readonly rows: number;
  /** the graph it is in [graph] */
  readonly graph: Int32Array;
  /** its number in the graph, counting up in the order of tracing */
  readonly number: Int32Array;
  /** its name with its scopes, such as dense/MatMul */
  readonly name: readonly string[];
  /** what it computes [ops row] */
  readonly op: Int32Array;
  /** attributes as JSON [strings row] */
  readonly params: Int32Array;
  /** the shapes of its outputs, null for a size that is not known [JSON] */
  readonly shapes: readonly string[];
  /** the dtypes of its outputs [JSON] */
  readonly dtypes: readonly string[];
  /** the device asked for, empty for any */
  readonly device: readonly string[];
  /** the line of the user's that made it [sites row] */
  readonly site: Int32Array;
  /** the first graph inside it (branch, body, called function); the others follow it [graph] */
  readonly region: Int32Array;
  /** how many graphs are inside it */
  readonly regions: Uint8Array;
  /** what the passes did with it: kept, pruned, folded, merged, simplified, fused or inlined */
  readonly fate: readonly string[];
  /** the number of the node that stands for it then; its own when kept, -1 when gone */
  readonly into: Int32Array;
  /** the pass that did it, -1 when kept [passes row] */
  readonly stage: Int32Array;
}

/** A row is an output of a node that another one takes. */
export interface Node_edgesTable {
  readonly rows: number;
  /** the graph [graph] */
  readonly graph: Int32Array;
  /** the number of the node that makes it */
  readonly source: Int32Array;
  /** which output it is */
  readonly slot: Uint16Array;
  /** the number of the node that takes it */
  readonly target: Int32Array;
  /** which input it is; -1 when the target only has to run later */
  readonly position: Int32Array;
}

/** A row is a pass over a graph. */
export interface PassesTable {
  readonly rows: number;
  /** the graph [graph] */
  readonly graph: Int32Array;
  /** prune, fold, merge, simplify, inline, fuse, ... */
  readonly name: readonly string[];
  /** how long it took [ns] */
  readonly dur: Float64Array;
  /** how many nodes there were */
  readonly before: Int32Array;
  /** how many there are */
  readonly after: Int32Array;
  /** what it did, as a sentence */
  readonly text: readonly string[];
}

/** A row is a run of a graph. */
export interface Graph_runsTable {
  readonly rows: number;
  /** the span of the run [event] */
  readonly event: Int32Array;
  /** the graph [graph] */
  readonly graph: Int32Array;
  /** of a session the names of what was fed [JSON] */
  readonly fed: readonly string[];
  /** of a session the names of what was fetched [JSON] */
  readonly fetched: readonly string[];
  /** how many of the graph's nodes did not have to run */
  readonly pruned: Int32Array;
  /** 1 when it ran node by node, as it was traced; 0 when as the passes made it [bool] */
  readonly stepped: Uint8Array;
}

/** A row is an event that ran a node of a graph; a fused node runs as one event, its members have a row each. */
export interface Node_runsTable {
  readonly rows: number;
  /** the op's event, inside the span of the graph's run [event] */
  readonly event: Int32Array;
  /** the graph [graph] */
  readonly graph: Int32Array;
  /** the number of the node in the graph */
  readonly node: Int32Array;
}

/** A row is something that Python did while a function was traced, and does not do when it runs. */
export interface Trace_effectsTable {
  readonly rows: number;
  /** the trace [graph] */
  readonly graph: Int32Array;
  /** print, list, dict, attribute or other */
  readonly kind: readonly string[];
  /** the line [sites row] */
  readonly site: Int32Array;
  /** what it was, as a sentence */
  readonly text: readonly string[];
}

/** A row is what a trace took from Python, or did to it, once for all runs of its graph. */
export interface Trace_readsTable {
  readonly rows: number;
  /** the trace, -1 for that of a function of a data pipeline [graph] */
  readonly graph: Int32Array;
  /** value, counter (a number it changed), list (it grew), random, clock or iterator */
  readonly kind: readonly string[];
  /** the name or the call, as the source says it */
  readonly name: readonly string[];
  /** the line [sites row] */
  readonly site: Int32Array;
  /** what the value was for the trace */
  readonly then: readonly string[];
  /** what it was at the first run that would have read another one */
  readonly now: readonly string[];
  /** the span of that run, -1 where it is not about a value [event] */
  readonly event: Int32Array;
}

/** A row is when a device that works on its own ran an op; the event itself is the launch. */
export interface Device_timesTable {
  readonly rows: number;
  /** the op's event [event] */
  readonly event: Int32Array;
  /** when the device began with it [ns] */
  readonly t0: Float64Array;
  /** how long the device took [ns] */
  readonly dur: Float64Array;
}

/** A row is how full a device's memory pool was, from then until the device's next row. */
export interface PoolsTable {
  readonly rows: number;
  /** the device [devices row] */
  readonly device: Uint8Array;
  /** when it was asked: soon after an op was launched, or a step of a backward pass [ns] */
  readonly t: Float64Array;
  /** what arrays use, recorded or not [bytes] */
  readonly used: Float64Array;
  /** what the pool has taken from the device [bytes] */
  readonly total: Float64Array;
}

/** A row is time in which an op of a merged recording stood still for another process. */
export interface WaitsTable {
  readonly rows: number;
  /** the op [event] */
  readonly event: Int32Array;
  /** how long [ns] */
  readonly dur: Float64Array;
  /** the process that came last [ranks row] */
  readonly rank: Int32Array;
}

/** A row is work done once, beside the ops, that later runs find done. */
export interface SetupsTable {
  readonly rows: number;
  /** first_use (the function of an op was generated) or import (a module was loaded) */
  readonly kind: readonly string[];
  /** the op or the module */
  readonly name: readonly string[];
  /** when it began [ns] */
  readonly t0: Float64Array;
  /** how long it took [ns] */
  readonly dur: Float64Array;
  /** the line of the user's that needed it [sites row] */
  readonly site: Int32Array;
  /** the thread that waited for it [threads row] */
  readonly thread: Uint8Array;
}

/** A row is a fact about the recording; a later row with the same key replaces an earlier one. */
export interface MetaTable {
  readonly rows: number;
  /** such as title, overhead, evicted, versions, truncated, dropped */
  readonly key: readonly string[];
  /** as JSON */
  readonly value: readonly string[];
}

/** Every table of a recording, by name. */
export interface Tables {
  readonly events: EventsTable;
  readonly ends: EndsTable;
  readonly messages: MessagesTable;
  readonly ops: OpsTable;
  readonly edges: EdgesTable;
  readonly tensors: TensorsTable;
  readonly names: NamesTable;
  readonly releases: ReleasesTable;
  readonly gradients: GradientsTable;
  readonly requests: RequestsTable;
  readonly variables: VariablesTable;
  readonly tapes: TapesTable;
  readonly watches: WatchesTable;
  readonly stats: StatsTable;
  readonly values: ValuesTable;
  readonly exits: ExitsTable;
  readonly sites: SitesTable;
  readonly cells: CellsTable;
  readonly devices: DevicesTable;
  readonly threads: ThreadsTable;
  readonly ranks: RanksTable;
  readonly strings: StringsTable;
  readonly verdicts: VerdictsTable;
  readonly health: HealthTable;
  readonly graphs: GraphsTable;
  readonly nodes: NodesTable;
  readonly node_edges: Node_edgesTable;
  readonly passes: PassesTable;
  readonly graph_runs: Graph_runsTable;
  readonly node_runs: Node_runsTable;
  readonly trace_effects: Trace_effectsTable;
  readonly trace_reads: Trace_readsTable;
  readonly device_times: Device_timesTable;
  readonly pools: PoolsTable;
  readonly waits: WaitsTable;
  readonly setups: SetupsTable;
  readonly meta: MetaTable;
}

/** Rows given by hand; a column that is left out holds its none. */
export interface TableInit {
  readonly events: {
    readonly id?: ArrayLike<number>;
    readonly parent?: ArrayLike<number>;
    readonly kind?: ArrayLike<number>;
    readonly op?: ArrayLike<number>;
    readonly phase?: ArrayLike<number>;
    readonly origin?: ArrayLike<number>;
    readonly device?: ArrayLike<number>;
    readonly thread?: ArrayLike<number>;
    readonly t0?: ArrayLike<number>;
    readonly dur?: ArrayLike<number>;
    readonly status?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
    readonly params?: ArrayLike<number>;
    readonly step?: ArrayLike<number>;
  };
  readonly ends: {
    readonly event?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
    readonly status?: ArrayLike<number>;
  };
  readonly messages: {
    readonly event?: ArrayLike<number>;
    readonly type?: readonly string[];
    readonly text?: readonly string[];
  };
  readonly ops: {
    readonly name?: readonly string[];
    readonly family?: readonly string[];
    readonly formula?: readonly string[];
    readonly vjp_formula?: readonly string[];
    readonly differentiable?: readonly string[];
    readonly traits?: readonly string[];
    readonly domain?: readonly string[];
    readonly surrogate?: readonly string[];
  };
  readonly edges: {
    readonly event?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly role?: ArrayLike<number>;
    readonly slot?: ArrayLike<number>;
  };
  readonly tensors: {
    readonly id?: ArrayLike<number>;
    readonly shape?: ArrayLike<number>;
    readonly dtype?: ArrayLike<number>;
    readonly device?: ArrayLike<number>;
    readonly nbytes?: ArrayLike<number>;
    readonly storage?: ArrayLike<number>;
    readonly producer?: ArrayLike<number>;
    readonly variable?: ArrayLike<number>;
    readonly source?: ArrayLike<number>;
  };
  readonly names: {
    readonly tensor?: ArrayLike<number>;
    readonly name?: readonly string[];
    readonly t?: ArrayLike<number>;
  };
  readonly releases: {
    readonly tensor?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
  };
  readonly gradients: {
    readonly backward?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly gradient?: ArrayLike<number>;
    readonly addend?: ArrayLike<number>;
  };
  readonly requests: {
    readonly event?: ArrayLike<number>;
    readonly tape?: ArrayLike<number>;
    readonly target?: ArrayLike<number>;
    readonly source?: ArrayLike<number>;
    readonly variable?: ArrayLike<number>;
    readonly gradient?: ArrayLike<number>;
    readonly filled?: ArrayLike<number>;
  };
  readonly variables: {
    readonly id?: ArrayLike<number>;
    readonly name?: readonly string[];
    readonly trainable?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
  };
  readonly tapes: {
    readonly id?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
    readonly change?: readonly string[];
    readonly persistent?: ArrayLike<number>;
    readonly accessed?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
  };
  readonly watches: {
    readonly tape?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
    readonly automatic?: ArrayLike<number>;
  };
  readonly stats: {
    readonly tensor?: ArrayLike<number>;
    readonly min?: ArrayLike<number>;
    readonly max?: ArrayLike<number>;
    readonly mean?: ArrayLike<number>;
    readonly std?: ArrayLike<number>;
    readonly norm?: ArrayLike<number>;
    readonly nan?: ArrayLike<number>;
    readonly posinf?: ArrayLike<number>;
    readonly neginf?: ArrayLike<number>;
    readonly zero?: ArrayLike<number>;
    readonly negative?: ArrayLike<number>;
    readonly bad?: ArrayLike<number>;
    readonly histogram?: readonly Uint8Array[];
  };
  readonly values: {
    readonly tensor?: ArrayLike<number>;
    readonly offset?: ArrayLike<number>;
    readonly length?: ArrayLike<number>;
    readonly data?: readonly Uint8Array[];
  };
  readonly exits: {
    readonly event?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly kind?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
    readonly memory?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
  };
  readonly sites: {
    readonly file?: readonly string[];
    readonly line?: ArrayLike<number>;
    readonly column?: ArrayLike<number>;
    readonly end_column?: ArrayLike<number>;
    readonly function?: readonly string[];
    readonly cell?: ArrayLike<number>;
    readonly text?: readonly string[];
  };
  readonly cells: {
    readonly number?: ArrayLike<number>;
    readonly file?: readonly string[];
    readonly text?: readonly string[];
    readonly first?: ArrayLike<number>;
  };
  readonly devices: {
    readonly name?: readonly string[];
    readonly rank?: ArrayLike<number>;
  };
  readonly threads: {
    readonly name?: readonly string[];
    readonly rank?: ArrayLike<number>;
  };
  readonly ranks: {
    readonly number?: ArrayLike<number>;
    readonly t0?: ArrayLike<number>;
    readonly ahead?: ArrayLike<number>;
    readonly uncertainty?: ArrayLike<number>;
    readonly event?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly variable?: ArrayLike<number>;
    readonly tape?: ArrayLike<number>;
    readonly graph?: ArrayLike<number>;
  };
  readonly strings: {
    readonly text?: readonly string[];
  };
  readonly verdicts: {
    readonly kind?: readonly string[];
    readonly severity?: ArrayLike<number>;
    readonly event?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
    readonly text?: readonly string[];
    readonly fix?: readonly string[];
    readonly evidence?: readonly string[];
  };
  readonly health: {
    readonly request?: ArrayLike<number>;
    readonly tensor?: ArrayLike<number>;
    readonly gradient?: ArrayLike<number>;
    readonly health?: ArrayLike<number>;
    readonly low?: ArrayLike<number>;
    readonly high?: ArrayLike<number>;
  };
  readonly graphs: {
    readonly id?: ArrayLike<number>;
    readonly parent?: ArrayLike<number>;
    readonly name?: readonly string[];
    readonly sort?: readonly string[];
    readonly function?: ArrayLike<number>;
    readonly trace?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
    readonly definition?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
    readonly converting?: ArrayLike<number>;
    readonly tracing?: ArrayLike<number>;
    readonly planning?: ArrayLike<number>;
    readonly key?: readonly string[];
    readonly reason?: readonly string[];
    readonly argument?: readonly string[];
    readonly before?: readonly string[];
    readonly after?: readonly string[];
    readonly fix?: readonly string[];
    readonly source?: ArrayLike<number>;
    readonly generated?: ArrayLike<number>;
    readonly lines?: readonly string[];
  };
  readonly nodes: {
    readonly graph?: ArrayLike<number>;
    readonly number?: ArrayLike<number>;
    readonly name?: readonly string[];
    readonly op?: ArrayLike<number>;
    readonly params?: ArrayLike<number>;
    readonly shapes?: readonly string[];
    readonly dtypes?: readonly string[];
    readonly device?: readonly string[];
    readonly site?: ArrayLike<number>;
    readonly region?: ArrayLike<number>;
    readonly regions?: ArrayLike<number>;
    readonly fate?: readonly string[];
    readonly into?: ArrayLike<number>;
    readonly stage?: ArrayLike<number>;
  };
  readonly node_edges: {
    readonly graph?: ArrayLike<number>;
    readonly source?: ArrayLike<number>;
    readonly slot?: ArrayLike<number>;
    readonly target?: ArrayLike<number>;
    readonly position?: ArrayLike<number>;
  };
  readonly passes: {
    readonly graph?: ArrayLike<number>;
    readonly name?: readonly string[];
    readonly dur?: ArrayLike<number>;
    readonly before?: ArrayLike<number>;
    readonly after?: ArrayLike<number>;
    readonly text?: readonly string[];
  };
  readonly graph_runs: {
    readonly event?: ArrayLike<number>;
    readonly graph?: ArrayLike<number>;
    readonly fed?: readonly string[];
    readonly fetched?: readonly string[];
    readonly pruned?: ArrayLike<number>;
    readonly stepped?: ArrayLike<number>;
  };
  readonly node_runs: {
    readonly event?: ArrayLike<number>;
    readonly graph?: ArrayLike<number>;
    readonly node?: ArrayLike<number>;
  };
  readonly trace_effects: {
    readonly graph?: ArrayLike<number>;
    readonly kind?: readonly string[];
    readonly site?: ArrayLike<number>;
    readonly text?: readonly string[];
  };
  readonly trace_reads: {
    readonly graph?: ArrayLike<number>;
    readonly kind?: readonly string[];
    readonly name?: readonly string[];
    readonly site?: ArrayLike<number>;
    readonly then?: readonly string[];
    readonly now?: readonly string[];
    readonly event?: ArrayLike<number>;
  };
  readonly device_times: {
    readonly event?: ArrayLike<number>;
    readonly t0?: ArrayLike<number>;
    readonly dur?: ArrayLike<number>;
  };
  readonly pools: {
    readonly device?: ArrayLike<number>;
    readonly t?: ArrayLike<number>;
    readonly used?: ArrayLike<number>;
    readonly total?: ArrayLike<number>;
  };
  readonly waits: {
    readonly event?: ArrayLike<number>;
    readonly dur?: ArrayLike<number>;
    readonly rank?: ArrayLike<number>;
  };
  readonly setups: {
    readonly kind?: readonly string[];
    readonly name?: readonly string[];
    readonly t0?: ArrayLike<number>;
    readonly dur?: ArrayLike<number>;
    readonly site?: ArrayLike<number>;
    readonly thread?: ArrayLike<number>;
  };
  readonly meta: {
    readonly key?: readonly string[];
    readonly value?: readonly string[];
  };
}

export type ColumnType = "u1" | "u2" | "i4" | "f4" | "f8" | "text" | "bytes";

/** `check` is what `Column.check` in schema.py says; empty where any cells will do. */
export type ColumnSpec = readonly [name: string, type: ColumnType, none: number, check: string];

export const SCHEMA: { readonly [T in keyof Tables]: readonly ColumnSpec[] } = {
  events: [
    ["id", "i4", -1, "id"],
    ["parent", "i4", -1, "earlier event"],
    ["kind", "u1", 0, "label 5 KINDS"],
    ["op", "i4", -1, "row ops"],
    ["phase", "u1", 0, "label 2 PHASES"],
    ["origin", "i4", -1, "earlier event"],
    ["device", "u1", 0, "row devices"],
    ["thread", "u1", 0, "row threads"],
    ["t0", "f8", 0, "finite ns"],
    ["dur", "f8", 0, "finite ns"],
    ["status", "u1", 0, "label 3 STATUSES"],
    ["site", "i4", -1, "row sites"],
    ["params", "i4", -1, "text object"],
    ["step", "i4", -1, ""],
  ],
  ends: [
    ["event", "i4", -1, "number event"],
    ["t", "f8", 0, "finite ns"],
    ["status", "u1", 0, "label 3 STATUSES"],
  ],
  messages: [
    ["event", "i4", -1, "number event"],
    ["type", "text", 0, ""],
    ["text", "text", 0, ""],
  ],
  ops: [
    ["name", "text", 0, ""],
    ["family", "text", 0, ""],
    ["formula", "text", 0, ""],
    ["vjp_formula", "text", 0, ""],
    ["differentiable", "text", 0, ""],
    ["traits", "text", 0, ""],
    ["domain", "text", 0, ""],
    ["surrogate", "text", 0, ""],
  ],
  edges: [
    ["event", "i4", -1, "number event"],
    ["tensor", "i4", -1, "number tensor"],
    ["role", "u1", 0, "label 3 ROLES"],
    ["slot", "u2", 0, ""],
  ],
  tensors: [
    ["id", "i4", -1, "id"],
    ["shape", "i4", -1, "text sizes"],
    ["dtype", "u1", 0, "label 16 DTYPES"],
    ["device", "u1", 0, "row devices"],
    ["nbytes", "f8", 0, "finite bytes"],
    ["storage", "i4", -1, "number tensor"],
    ["producer", "i4", -1, "number event"],
    ["variable", "i4", -1, "number variable"],
    ["source", "u1", 0, "label 7 SOURCES"],
  ],
  names: [
    ["tensor", "i4", -1, "number tensor"],
    ["name", "text", 0, ""],
    ["t", "f8", 0, "finite ns"],
  ],
  releases: [
    ["tensor", "i4", -1, "number tensor"],
    ["t", "f8", 0, "finite ns"],
  ],
  gradients: [
    ["backward", "i4", -1, "number event"],
    ["tensor", "i4", -1, "number tensor"],
    ["gradient", "i4", -1, "number tensor"],
    ["addend", "i4", -1, "number tensor"],
  ],
  requests: [
    ["event", "i4", -1, "number event"],
    ["tape", "i4", -1, "number tape"],
    ["target", "i4", -1, "number tensor"],
    ["source", "i4", -1, "number tensor"],
    ["variable", "i4", -1, "number variable"],
    ["gradient", "i4", -1, "number tensor"],
    ["filled", "u1", 0, ""],
  ],
  variables: [
    ["id", "i4", -1, "id"],
    ["name", "text", 0, ""],
    ["trainable", "u1", 0, ""],
    ["site", "i4", -1, "row sites"],
  ],
  tapes: [
    ["id", "i4", -1, "number tape"],
    ["t", "f8", 0, "finite ns"],
    ["change", "text", 0, ""],
    ["persistent", "u1", 0, ""],
    ["accessed", "u1", 0, ""],
    ["site", "i4", -1, "row sites"],
  ],
  watches: [
    ["tape", "i4", -1, "number tape"],
    ["tensor", "i4", -1, "number tensor"],
    ["t", "f8", 0, "finite ns"],
    ["automatic", "u1", 0, ""],
  ],
  stats: [
    ["tensor", "i4", -1, "number tensor"],
    ["min", "f8", NaN, ""],
    ["max", "f8", NaN, ""],
    ["mean", "f8", NaN, ""],
    ["std", "f8", NaN, ""],
    ["norm", "f8", NaN, ""],
    ["nan", "f8", 0, "finite elements"],
    ["posinf", "f8", 0, "finite elements"],
    ["neginf", "f8", 0, "finite elements"],
    ["zero", "f8", 0, "finite elements"],
    ["negative", "f8", 0, "finite elements"],
    ["bad", "f8", -1, ""],
    ["histogram", "bytes", 0, "counts"],
  ],
  values: [
    ["tensor", "i4", -1, "number tensor"],
    ["offset", "f8", 0, "finite elements"],
    ["length", "f8", 0, "finite elements"],
    ["data", "bytes", 0, ""],
  ],
  exits: [
    ["event", "i4", -1, "number event"],
    ["tensor", "i4", -1, "number tensor"],
    ["kind", "u1", 0, "label 7 EXITS"],
    ["site", "i4", -1, "row sites"],
    ["memory", "f8", 0, ""],
    ["t", "f8", 0, "finite ns"],
  ],
  sites: [
    ["file", "text", 0, ""],
    ["line", "i4", -1, ""],
    ["column", "i4", -1, ""],
    ["end_column", "i4", -1, ""],
    ["function", "text", 0, ""],
    ["cell", "i4", -1, "row cells"],
    ["text", "text", 0, ""],
  ],
  cells: [
    ["number", "i4", -1, ""],
    ["file", "text", 0, ""],
    ["text", "text", 0, ""],
    ["first", "i4", 1, ""],
  ],
  devices: [
    ["name", "text", 0, ""],
    ["rank", "i4", -1, "row ranks"],
  ],
  threads: [
    ["name", "text", 0, ""],
    ["rank", "i4", -1, "row ranks"],
  ],
  ranks: [
    ["number", "i4", -1, ""],
    ["t0", "f8", 0, "finite ns"],
    ["ahead", "f8", NaN, ""],
    ["uncertainty", "f8", NaN, ""],
    ["event", "i4", -1, "number event"],
    ["tensor", "i4", -1, "number tensor"],
    ["variable", "i4", -1, "number variable"],
    ["tape", "i4", -1, "number tape"],
    ["graph", "i4", -1, "number graph"],
  ],
  strings: [
    ["text", "text", 0, ""],
  ],
  verdicts: [
    ["kind", "text", 0, ""],
    ["severity", "u1", 0, ""],
    ["event", "i4", -1, "number event"],
    ["tensor", "i4", -1, "number tensor"],
    ["site", "i4", -1, "row sites"],
    ["text", "text", 0, ""],
    ["fix", "text", 0, ""],
    ["evidence", "text", 0, "json"],
  ],
  health: [
    ["request", "i4", -1, "row requests"],
    ["tensor", "i4", -1, "number tensor"],
    ["gradient", "i4", -1, "number tensor"],
    ["health", "u1", 0, "label 7 HEALTHS"],
    ["low", "f8", NaN, ""],
    ["high", "f8", NaN, ""],
  ],
  graphs: [
    ["id", "i4", -1, "id"],
    ["parent", "i4", -1, "earlier graph"],
    ["name", "text", 0, ""],
    ["sort", "text", 0, ""],
    ["function", "i4", -1, "number function"],
    ["trace", "i4", -1, ""],
    ["site", "i4", -1, "row sites"],
    ["definition", "i4", -1, "row sites"],
    ["t", "f8", 0, "finite ns"],
    ["converting", "f8", 0, "finite ns"],
    ["tracing", "f8", 0, "finite ns"],
    ["planning", "f8", 0, "finite ns"],
    ["key", "text", 0, "list"],
    ["reason", "text", 0, ""],
    ["argument", "text", 0, ""],
    ["before", "text", 0, ""],
    ["after", "text", 0, ""],
    ["fix", "text", 0, ""],
    ["source", "i4", -1, "row strings"],
    ["generated", "i4", -1, "row strings"],
    ["lines", "text", 0, "lines"],
  ],
  nodes: [
    ["graph", "i4", -1, "number graph"],
    ["number", "i4", -1, ""],
    ["name", "text", 0, ""],
    ["op", "i4", -1, "row ops"],
    ["params", "i4", -1, "text object"],
    ["shapes", "text", 0, "list"],
    ["dtypes", "text", 0, "list"],
    ["device", "text", 0, ""],
    ["site", "i4", -1, "row sites"],
    ["region", "i4", -1, "number graph"],
    ["regions", "u1", 0, ""],
    ["fate", "text", 0, ""],
    ["into", "i4", -1, ""],
    ["stage", "i4", -1, "row passes"],
  ],
  node_edges: [
    ["graph", "i4", -1, "number graph"],
    ["source", "i4", -1, ""],
    ["slot", "u2", 0, ""],
    ["target", "i4", -1, ""],
    ["position", "i4", -1, ""],
  ],
  passes: [
    ["graph", "i4", -1, "number graph"],
    ["name", "text", 0, ""],
    ["dur", "f8", 0, "finite ns"],
    ["before", "i4", -1, ""],
    ["after", "i4", -1, ""],
    ["text", "text", 0, ""],
  ],
  graph_runs: [
    ["event", "i4", -1, "number event"],
    ["graph", "i4", -1, "number graph"],
    ["fed", "text", 0, "list"],
    ["fetched", "text", 0, "list"],
    ["pruned", "i4", -1, ""],
    ["stepped", "u1", 0, ""],
  ],
  node_runs: [
    ["event", "i4", -1, "number event"],
    ["graph", "i4", -1, "number graph"],
    ["node", "i4", -1, ""],
  ],
  trace_effects: [
    ["graph", "i4", -1, "number graph"],
    ["kind", "text", 0, ""],
    ["site", "i4", -1, "row sites"],
    ["text", "text", 0, ""],
  ],
  trace_reads: [
    ["graph", "i4", -1, "number graph"],
    ["kind", "text", 0, ""],
    ["name", "text", 0, ""],
    ["site", "i4", -1, "row sites"],
    ["then", "text", 0, ""],
    ["now", "text", 0, ""],
    ["event", "i4", -1, "number event"],
  ],
  device_times: [
    ["event", "i4", -1, "number event"],
    ["t0", "f8", 0, "finite ns"],
    ["dur", "f8", 0, "finite ns"],
  ],
  pools: [
    ["device", "u1", 0, "row devices"],
    ["t", "f8", 0, "finite ns"],
    ["used", "f8", 0, "finite bytes"],
    ["total", "f8", 0, "finite bytes"],
  ],
  waits: [
    ["event", "i4", -1, "number event"],
    ["dur", "f8", 0, "finite ns"],
    ["rank", "i4", -1, "row ranks"],
  ],
  setups: [
    ["kind", "text", 0, ""],
    ["name", "text", 0, ""],
    ["t0", "f8", 0, "finite ns"],
    ["dur", "f8", 0, "finite ns"],
    ["site", "i4", -1, "row sites"],
    ["thread", "u1", 0, "row threads"],
  ],
  meta: [
    ["key", "text", 0, ""],
    ["value", "text", 0, "json"],
  ],
};

/** What the facts of meta that views know are. */
export const FACTS: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  "title": "text",
  "mode": "text",
  "device": "text",
  "started": "text",
  "clock": {
    "wall": "number",
    "at": "number",
    "uncertainty": "number",
    "resolution": "number"
  },
  "rank": "number",
  "merged": "text",
  "cell": "number",
  "ops": "amount",
  "seconds": "number",
  "versions": "object",
  "policy": {
    "values": "text",
    "budget": "number",
    "program": "number"
  },
  "overhead": {
    "ns_per_op": "number",
    "inside_s": "number",
    "stats_s": "number"
  },
  "evicted": {
    "tensors": "amount",
    "bytes": "amount"
  },
  "left_out": {
    "tensors": "amount",
    "bytes": "amount",
    "limit": "number"
  },
  "unsummarised": {
    "tensors": "amount"
  },
  "dropped": {
    "ops": "amount",
    "failures": "object"
  },
  "truncated": {
    "ops": "amount"
  },
  "rerun": {
    "replaced": "list",
    "dtype": "text",
    "stale": "list",
    "branches": "list"
  },
  "stopped": {
    "event": "number",
    "line": "number",
    "type": "text",
    "text": "text"
  },
  "looked_for": {
    "kinds": "list",
    "text": "text",
    "not": "text",
    "unseen": "list",
    "expected": "text"
  },
  "thresholds": "object"
};
