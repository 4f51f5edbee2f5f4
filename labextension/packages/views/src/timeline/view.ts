import { h } from "@tapeviz/core";
import type { View } from "../view";

export const timeline: View = {
  id: "timeline",
  title: "Timeline",
  key: "1",
  mount: (root) => {
    const element = h("div", {}, "timeline");
    root.append(element);
    return () => element.remove();
  },
  text: () => "timeline",
};
