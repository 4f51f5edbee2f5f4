import type { Recording } from "@tapeviz/recording";
import { factsOf } from "../facts";

/** The whole gradient of a forward tensor: a tensor's number, -1 for None, undefined when nobody asked for it. */
export function gradientOf(recording: Recording, tensor: number): number | undefined {
  const whole = factsOf(recording).gradient(tensor);
  if (whole >= 0) return whole;
  const { requests } = recording;
  const asked = requests.source.lastIndexOf(tensor);
  return asked >= 0 ? requests.gradient[asked] : undefined;
}

/** The forward tensor whose gradient, or a part of whose gradient, this is; -1 for none. */
export function gradientFor(recording: Recording, tensor: number): number {
  const { gradients } = recording;
  const sum = gradients.gradient.indexOf(tensor);
  const row = sum >= 0 ? sum : gradients.addend.indexOf(tensor);
  return row < 0 || gradients.tensor[row] === tensor ? -1 : gradients.tensor[row];
}
