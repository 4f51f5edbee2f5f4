import { code } from "./code/view";
import { flow } from "./flow/view";
import { tensor } from "./tensor/view";
import { timeline } from "./timeline/view";
import type { View } from "./view";

/** Every view, in the order of the switch. One line a view. */
// prettier-ignore
export const VIEWS: readonly View[] = [
  timeline,
  flow,
  tensor,
  code,
];
