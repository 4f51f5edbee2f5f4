export { read as readStrip, type StripPayload } from "./data";
export { mountStrip, type StripOptions } from "./view";
