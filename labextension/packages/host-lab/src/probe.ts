// Finds out whether there is a tapeviz in a kernel that would answer.
import type { Kernel } from "./jupyterlab";
import type { KernelStatus } from "./state";

export const TARGET = "tapeviz";

// Asked in a silent request, so that nothing is counted, printed or stored.
const QUESTIONS = {
  installed: '__import__("importlib.util").util.find_spec("tapeviz") is not None',
  loaded: `${JSON.stringify(TARGET)} in __import__("comm").get_comm_manager().targets`,
};

/** Whether the kernel says by this message that tapeviz has come; see tapeviz/lab/comm_channels.py. */
export function isAnnouncement(type: string, content: Record<string, unknown>): boolean {
  const { display_id } = (content["transient"] ?? {}) as Record<string, unknown>;
  return type === "update_display_data" && display_id === TARGET;
}

/** The kernel's status; null where it did not say, because a cell before raised and what waited was dropped. */
export async function probe(kernel: Kernel): Promise<KernelStatus | "loaded" | null> {
  const language = (await kernel.info).language_info.name;
  if (language !== "python") return { kind: "language", language };
  const asked = { code: "", silent: true, store_history: false, stop_on_error: false, user_expressions: QUESTIONS };
  const { content } = await kernel.requestExecute(asked).done;
  if (content["status"] !== "ok") return null;
  const answers = content["user_expressions"] as Record<string, { data?: Record<string, string> }>;
  const holds = (name: string): boolean => answers[name]?.data?.["text/plain"] === "True";
  if (!holds("loaded")) return { kind: holds("installed") ? "unloaded" : "missing" };
  return kernel.handleComms ? "loaded" : { kind: "shared" };
}
