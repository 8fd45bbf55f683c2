import type { Filter } from "./filter.ts";

/** A function: its body is there once it is compiled. */
export interface FunctionEntry {
  readonly params: readonly string[];
  /** Frames of the environment in which it was defined. */
  readonly depth: number;
  body: Filter | undefined;
}

type FrameKind = "variable" | "param" | "label";

interface ScopeEntry {
  readonly kind: FrameKind | "function";
  readonly name: string;
  readonly arity: number;
  /** Frames with this one included; of a function, those that it sees. */
  readonly depth: number;
  readonly entry?: FunctionEntry;
  readonly parent: ScopeEntry | undefined;
}

/** The names that a part of a program can use, and where their values will be. */
export class NameScope {
  readonly depth: number;
  readonly names: ScopeEntry | undefined;

  constructor(names?: ScopeEntry, depth = 0) {
    this.names = names;
    this.depth = depth;
  }

  /** Adds a name that has a frame of the environment. */
  withFrame(kind: FrameKind, name: string): NameScope {
    const depth = this.depth + 1;
    return new NameScope({ kind, name, arity: 0, depth, parent: this.names }, depth);
  }

  withFunction(name: string, arity: number, entry: FunctionEntry): NameScope {
    const { depth, names } = this;
    return new NameScope({ kind: "function", name, arity, depth, entry, parent: names }, depth);
  }
}

export function lookUp(
  scope: NameScope,
  kind: "variable" | "label",
  name: string,
): ScopeEntry | undefined {
  for (let at = scope.names; at; at = at.parent)
    if (at.kind === kind && at.name === name) return at;
  return undefined;
}

/** Finds a function, or a parameter, which is a function without parameters. */
export function lookUpFunction(
  scope: NameScope,
  name: string,
  arity: number,
): ScopeEntry | undefined {
  for (let at = scope.names; at; at = at.parent) {
    const isCallable = at.kind === "function" || at.kind === "param";
    if (isCallable && at.name === name && at.arity === arity) return at;
  }
  return undefined;
}
