import type { Env, Filter, In, Results } from "../filter.ts";
import type { JqMachine } from "../machine.ts";
import type { Value } from "../values.ts";

/** Functions of values: all combinations of the arguments' results are computed. */
export type NativeValues = Readonly<
  Record<string, (machine: JqMachine, input: Value, ...args: Value[]) => Value>
>;

export interface NativeCall {
  readonly input: In;
  readonly args: readonly Filter[];
  readonly env: Env;
  readonly machine: JqMachine;
}

/** Functions of filters. */
export type NativeFilters = Readonly<Record<string, (call: NativeCall) => Results>>;
