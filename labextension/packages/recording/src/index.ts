export * from "./recording";
export * from "./tables.gen";
