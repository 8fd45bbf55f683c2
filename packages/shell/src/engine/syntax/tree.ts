/** A script's syntax tree. Positions are offsets into the source (`at`) and lines that count from 1 (`line`). */

import type { Word } from "./word.ts";

/** Commands in sequence. */
export interface List {
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly first: Pipeline;
  /** The pipelines that run when the one before succeeded (`&&`) or failed (`||`). */
  readonly rest: readonly { readonly operator: "&&" | "||"; readonly pipeline: Pipeline }[];
  /** Ended by `&`. */
  readonly isBackground: boolean;
  /** The source, without the operator that ends it. */
  readonly text: string;
}

export interface Pipeline {
  /** Preceded by an odd number of `!`. */
  readonly isNegated: boolean;
  /** Preceded by `time`: in POSIX form with `-p`. */
  readonly timed?: "bash" | "posix" | undefined;
  /** Empty for a lone `!` or `time`. */
  readonly commands: readonly Command[];
}

export type Command = SimpleCommand | CompoundCommand | FunctionDefinition;

interface Place {
  readonly at: number;
  readonly line: number;
}

export interface SimpleCommand extends Place {
  readonly type: "simple";
  readonly assignments: readonly Assignment[];
  /** The command's name and its arguments; those of `declare` and its like may be assignments. */
  readonly words: readonly (Word | Assignment)[];
  readonly redirections: readonly Redirection[];
  readonly text: string;
}

/** `name=value`, `name+=value`, `name[subscript]=value` or `name=(values)`. */
export interface Assignment extends Place {
  readonly type: "assignment";
  readonly name: string;
  readonly subscript?: Word | undefined;
  readonly isAppended: boolean;
  readonly value: Word | ArrayValue;
}

export interface ArrayValue {
  readonly type: "array";
  readonly elements: readonly ArrayElement[];
}

export interface ArrayElement {
  readonly subscript?: Word | undefined;
  readonly isAppended: boolean;
  readonly value: Word;
  /** The element as a word, for an array value that turns out to be text. */
  readonly word: Word;
}

export type RedirectionOperator =
  | "<"
  | ">"
  | ">>"
  | ">|"
  | "<>"
  | "<&"
  | ">&"
  | "&>"
  | "&>>"
  | "<<<"
  | "<<"
  | "<<-";

export interface Redirection extends Place {
  readonly type: "redirection";
  /** The number before the operator, or the variable of `{name}>` that receives it. */
  readonly descriptor?: number | string | undefined;
  readonly operator: RedirectionOperator;
  readonly target: Word;
  /** The text of `<<` and `<<-`, complete once the line after the operator was read. */
  readonly document?: HereDocument | undefined;
}

export interface HereDocument {
  readonly delimiter: string;
  /** Not expanded, because part of the delimiter was quoted. */
  readonly isQuoted: boolean;
  readonly body: string;
}

export type CompoundCommand = CompoundBody &
  Place & {
    readonly redirections: readonly Redirection[];
  };

/** `text` is the part of a command that `$BASH_COMMAND` shows: what stands before its body. */
export type CompoundBody =
  | { readonly type: "group"; readonly body: List }
  | { readonly type: "subshell"; readonly text: string; readonly body: List }
  | {
      readonly type: "if";
      readonly branches: readonly { readonly condition: List; readonly body: List }[];
      readonly otherwise?: List | undefined;
    }
  | {
      readonly type: "while";
      readonly isUntil: boolean;
      readonly condition: List;
      readonly body: List;
    }
  | {
      readonly type: "for";
      readonly text: string;
      readonly name: string;
      /** Missing for the positional parameters. */
      readonly words?: readonly Word[] | undefined;
      readonly body: List;
    }
  | {
      readonly type: "select";
      readonly text: string;
      readonly name: string;
      readonly words?: readonly Word[] | undefined;
      readonly body: List;
    }
  | {
      readonly type: "arithmetic-for";
      /** Initialisation, condition and step. */
      readonly expressions: readonly [ForExpression, ForExpression, ForExpression];
      readonly body: List;
    }
  | {
      readonly type: "case";
      readonly text: string;
      readonly subject: Word;
      readonly clauses: readonly CaseClause[];
    }
  | { readonly type: "arithmetic"; readonly text: string; readonly expression: Word }
  | { readonly type: "conditional"; readonly text: string; readonly expression: Conditional }
  | { readonly type: "coprocess"; readonly name: string; readonly body: Command };

/** An expression of `for ((…))`, and its source in the form of a command. */
export interface ForExpression {
  readonly expression: Word;
  readonly text: string;
}

export interface CaseClause {
  readonly patterns: readonly Word[];
  readonly body: List;
  /** The step after a match: the end, the next body, or the next patterns. */
  readonly end: ";;" | ";&" | ";;&";
}

export interface FunctionDefinition extends Place {
  readonly type: "function";
  readonly name: string;
  readonly body: CompoundCommand;
  /** The source of the definition. */
  readonly text: string;
}

/** The expression of `[[ ]]`. */
export type Conditional =
  | { readonly type: "and" | "or"; readonly operands: readonly Conditional[] }
  | { readonly type: "not"; readonly operand: Conditional }
  | { readonly type: "unary"; readonly operator: string; readonly operand: Word }
  | {
      readonly type: "binary";
      readonly operator: string;
      readonly left: Word;
      readonly right: Word;
    };
