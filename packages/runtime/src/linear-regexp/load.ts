import { loadOnce } from "../load-once.ts";
import type { compileLinear, LinearSyntaxError } from "./linear-regexp.ts";

export interface LinearEngine {
  readonly compileLinear: typeof compileLinear;
  readonly LinearSyntaxError: typeof LinearSyntaxError;
}

/** Loads the engine that takes linear time, once. */
export const loadLinearEngine: () => Promise<LinearEngine> = loadOnce(
  () => import("./linear-regexp.ts"),
);
