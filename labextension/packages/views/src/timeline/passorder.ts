import { KIND, PHASE, type Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** More than this nobody differentiates. */
const MOST = 64;

/**
 * For each backward op which lane it belongs to, counted from the middle: 0 for a step of a pass over forward ops, 2 for
 * one of a pass over another pass, and so on. Between them, 1, 3, ..., are the ops that a pass runs for another tape to go
 * back through: they happen within its steps, and are what the next order has its partners among.
 */
export function derivativeOrders(recording: Recording): Uint8Array {
  const { events } = recording;
  const { eventRow } = factsOf(recording);
  const order = new Uint8Array(events.rows);
  const isBackward = (row: number): boolean => row >= 0 && events.phase[row] === PHASE.backward;
  /** The row of the whole pass around an op. */
  const passOf = (row: number): number => {
    let up = eventRow(events.parent[row]);
    for (let next = up; isBackward(next); next = eventRow(events.parent[next])) up = next;
    return up;
  };
  const isOp = (row: number): boolean => events.kind[row] === KIND.op && isBackward(row);
  for (let row = 0; row < events.rows; row++) {
    const origin = isOp(row) ? eventRow(events.origin[row]) : -1;
    if (!isBackward(origin)) continue;
    const [pass, below] = [passOf(row), passOf(origin)];
    if (pass >= 0 && below >= 0) order[pass] = Math.min(MOST, Math.max(order[pass], order[below] + 2));
  }
  for (let row = 0; row < events.rows; row++) {
    if (!isOp(row)) continue;
    const pass = passOf(row);
    order[row] = (pass < 0 ? 0 : order[pass]) + Number(events.origin[row] < 0);
  }
  return order;
}
