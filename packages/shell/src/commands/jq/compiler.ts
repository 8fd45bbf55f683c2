import type { Filter } from "./filter.ts";
import type { JqMachine } from "./machine.ts";
import type { FunctionEntry, NameScope } from "./scope.ts";
import type { Definition, Node } from "./syntax/tree.ts";
import type { Value } from "./values.ts";

/** Compiles the parts of a node. */
export interface Compiler {
  readonly machine: JqMachine;
  readonly source: string;
  /** Variables that are there from the start. */
  readonly globals: ReadonlyMap<string, Value>;
  /** Functions that are written in the language itself, once they are used. */
  readonly library: Map<string, FunctionEntry>;
  /** Natives that the program calls. */
  readonly used: Set<string>;
  /** `isTail`: nothing follows in the function, so that a call may replace it */
  compile(node: Node, scope: NameScope, isTail?: boolean): Filter;
  define(definition: Definition, scope: NameScope): FunctionEntry;
}
