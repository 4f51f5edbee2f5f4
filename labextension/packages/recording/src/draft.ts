// A filter while it is being typed. `select` is strict, as Python is; a box that people type into is read by this first.

import { masksOf } from "./filter";
import { FilterError, KEYS, parseFilter, tokensOf, type Term } from "./grammar";
import { hintOf } from "./hints";
import { selectNodes } from "./nodefilter";
import { queriesOf } from "./queries";
import type { Recording } from "./recording";

/** What a text in the box stands for. */
export interface Draft {
  /** The filter that it is read as: one that `select` and Python's `tape.query` can read. */
  readonly text: string;
  /** What is to be said of it: what is missing, or why nothing is found. */
  readonly note: string;
  /** A condition with another one behind it cannot be read: nobody will finish that. */
  readonly isWrong: boolean;
}

/**
 * Reads a text that is being typed. Of the last condition, unless a space follows, a value that nothing is called is taken
 * for the beginning of one (`op:mat` is `op:mat*`), and while it is unfinished it says nothing (`op:`, `|g|<`, `shape:[3`).
 * Conditions that cannot be read are left out and named in the note; the others hold.
 */
export function draftOf(recording: Recording, typed: string): Draft {
  const { tokens, unclosed } = tokensOf(typed);
  const kept: string[] = [];
  const notes: string[] = [];
  let isWrong = false;
  tokens.forEach((token, at) => {
    if (token === "") return;
    const isLast = at === tokens.length - 1;
    const read = isLast ? unfinished(recording, token, unclosed) : settled(token);
    if (read.text) kept.push(read.text);
    if (read.note) notes.push(read.note);
    else if (read.text) notes.push(...missing(recording, read.text));
    isWrong ||= !isLast && read.note !== "";
  });
  return { text: kept.join(" "), note: notes[0] ?? "", isWrong };
}

interface Read {
  readonly text: string;
  readonly note: string;
}

function settled(token: string): Read {
  try {
    parseFilter(token);
    return { text: token, note: "" };
  } catch (error) {
    return { text: "", note: messageOf(error) };
  }
}

function unfinished(recording: Recording, token: string, unclosed: '"' | "[" | ""): Read {
  if (token === "-") return { text: "", note: "" };
  if (unclosed === "[") return openShape(recording, token);
  const closed = unclosed === '"' ? `${token}"` : token;
  const read = settled(closed);
  if (read.text && finds(recording, lastValueOf(closed))) return read;
  const longer = settled(`${closed}*`);
  if (isExtensible(closed, longer.text) && finds(recording, longer.text)) return longer;
  if (read.text && isKeyBegun(token)) return { text: "", note: "" };
  return read;
}

/** Of alternatives the last one, which is the one being typed. */
const lastValueOf = (token: string): string =>
  token.includes('"') || /^-?shape:/i.test(token) ? token : token.replace(/:[^:]*[|,](?=[^|,])/s, ":");

/** The dimensions so far with any others behind them; nothing while no tensor begins so. */
function openShape(recording: Recording, token: string): Read {
  const { text } = settled(`${token.replace(/[,\s]*$/, "")},...]`);
  return { text: text !== "" && finds(recording, text) ? text : "", note: "" };
}

/** Whether a term without its sign holds for any event, tensor or node. */
function finds(recording: Recording, text: string): boolean {
  const positive = text.replace(/^-/, "");
  const [term] = parseFilter(positive);
  const masks = masksOf(queriesOf(recording), term);
  return masks.events.includes(1) || masks.tensors.includes(1) || selectNodes(recording, positive).includes(1);
}

/** Whether the last of a term's values may go on: there is one, and it is text, no line and no shape. */
function isExtensible(token: string, longer: string): boolean {
  if (longer === "" || /[:|,]"*$/.test(token)) return false;
  const [{ key }] = parseFilter(longer);
  return key !== "word" && key !== "line" && key !== "shape";
}

const isKeyBegun = (token: string): boolean => {
  const word = token.replace(/^-/, "").toLowerCase();
  return KEYS.some((key) => key.startsWith(word));
};

/** Why a term holds for nothing; empty where it holds for something. */
function missing(recording: Recording, text: string): string[] {
  const [term]: Term[] = parseFilter(text);
  if (term.negated || finds(recording, text)) return [];
  return [hintOf(recording, term)].filter(Boolean);
}

function messageOf(error: unknown): string {
  if (error instanceof FilterError) return error.message;
  throw error;
}
