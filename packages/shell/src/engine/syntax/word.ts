import type { List } from "./tree.ts";

/** A word before expansion. */
export interface Word {
  readonly parts: readonly WordPart[];
  readonly at: number;
}

export type WordPart =
  | Text
  | DoubleQuoted
  | Parameter
  | CommandSubstitution
  | ArithmeticExpansion
  | ProcessSubstitution;

/** Literal text. Quoted text is not split, and its characters match only themselves. */
export interface Text {
  readonly type: "text";
  readonly text: string;
  readonly isQuoted: boolean;
}

export interface DoubleQuoted {
  readonly type: "double-quoted";
  readonly parts: readonly WordPart[];
}

/** `$name` or `${…}`. */
export interface Parameter {
  readonly type: "parameter";
  readonly name: string;
  /** The source, for messages. */
  readonly text: string;
  /** `[@]` and `[*]` by their character. */
  readonly subscript?: Word | "@" | "*" | undefined;
  /** `${!name}`: the parameter that the value names. */
  readonly isIndirect: boolean;
  readonly operation?: ParameterOperation | undefined;
}

export type ParameterOperation =
  | { readonly type: "length" }
  /** `${!name[@]}` */
  | { readonly type: "keys" }
  /** `${!prefix*}` and `${!prefix@}` */
  | { readonly type: "names" }
  | {
      readonly type: "default" | "assign" | "error" | "alternative";
      /** An empty value counts as unset. */
      readonly hasColon: boolean;
      readonly word: Word;
    }
  | {
      readonly type: "trim";
      readonly side: "prefix" | "suffix";
      readonly isLongest: boolean;
      readonly pattern: Word;
    }
  | { readonly type: "substring"; readonly offset: Word; readonly length?: Word | undefined }
  | {
      readonly type: "replace";
      readonly place: "first" | "all" | "prefix" | "suffix";
      readonly pattern: Word;
      readonly replacement: Word;
    }
  | { readonly type: "case"; readonly operator: string; readonly pattern?: Word | undefined }
  | { readonly type: "transform"; readonly letter: string }
  /** Syntax that is an error only when it is expanded. */
  | { readonly type: "bad" };

/** Source that bash parses only when it is expanded: between backquotes, and behind `$((` that is no arithmetic. */
export interface UnparsedSource {
  readonly source: string;
}

export interface CommandSubstitution {
  readonly type: "command";
  readonly body: List | UnparsedSource;
  readonly line: number;
}

/** `$((…))`: expanded as in double quotes, then evaluated. */
export interface ArithmeticExpansion {
  readonly type: "arithmetic";
  readonly expression: Word;
}

/** `<(…)` or `>(…)`. */
export interface ProcessSubstitution {
  readonly type: "process";
  readonly direction: "<" | ">";
  readonly body: List | UnparsedSource;
}

export function isQuotedPart(part: WordPart): boolean {
  return part.type === "double-quoted" || (part.type === "text" && part.isQuoted);
}
