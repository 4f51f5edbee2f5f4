import { code } from "./code/view";
import { flow } from "./flow/view";
import { graph } from "./graph/view";
import { step } from "./step/view";
import { tensor } from "./tensor/view";
import { timeline } from "./timeline/view";
import { traces } from "./traces/view";
import type { Recording } from "@tapeviz/recording";
import type { View } from "./view";

/** Every view, in the order of the switch. One line a view. */
// prettier-ignore
export const VIEWS: readonly View[] = [
  timeline,
  flow,
  tensor,
  code,
  graph,
  traces,
  step,
];

/** The views that have something to show of a recording. */
export const viewsOf = (recording: Recording): View[] => VIEWS.filter(({ fits }) => fits?.(recording) ?? true);
