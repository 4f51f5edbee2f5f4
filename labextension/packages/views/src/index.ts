export { VIEWS } from "./registry";
export type { Answer, Message, View, ViewContext } from "./view";
export { mountShell, type ShellOptions } from "./shell/shell";
