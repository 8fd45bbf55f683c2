/** The syntax tree of a program. */
export type Expression =
  | { type: "number"; value: number }
  | { type: "string"; value: string }
  /** A regular expression, matched against the record when it stands alone. */
  | { type: "regex"; source: string }
  | { type: "name"; name: string }
  | { type: "element"; name: string; keys: Expression[] }
  | { type: "field"; index: Expression }
  | { type: "assign"; operator: string; target: Target; value: Expression }
  | { type: "step"; target: Target; by: 1 | -1; isPrefix: boolean }
  | { type: "unary"; operator: "!" | "-" | "+"; operand: Expression }
  | { type: "binary"; operator: string; left: Expression; right: Expression }
  | { type: "choice"; condition: Expression; yes: Expression; no: Expression }
  | { type: "in"; keys: Expression[]; name: string }
  | { type: "group"; items: Expression[] }
  | { type: "call"; name: string; args: Expression[] }
  | { type: "getline"; target?: Target; file?: Expression; command?: Expression };

export type Target = Extract<Expression, { type: "name" | "element" | "field" }>;

export interface Destination {
  kind: ">" | ">>" | "|";
  to: Expression;
}

export type Statement =
  | { type: "expression"; value: Expression }
  | { type: "print" | "printf"; args: Expression[]; destination?: Destination }
  | { type: "block"; body: Statement[] }
  | { type: "if"; condition: Expression; yes: Statement; no?: Statement }
  | {
      type: "loop";
      start?: Statement | undefined;
      condition?: Expression | undefined;
      step?: Statement | undefined;
      body: Statement;
      isBodyFirst?: boolean;
    }
  | { type: "each"; variable: Target; name: string; body: Statement }
  | { type: "delete"; name: string; keys?: Expression[] }
  | { type: "break" | "continue" | "next" | "nextfile" }
  | { type: "exit" | "return"; value?: Expression };

export interface Rule {
  /** Missing for a rule that runs for every record. */
  pattern?: Expression | "BEGIN" | "END";
  /** The end of a range that starts at `pattern`. */
  until?: Expression;
  /** Missing for a rule that prints the record. */
  body?: Statement;
}

export interface Definition {
  name: string;
  parameters: string[];
  body: Statement;
}

export interface Program {
  rules: Rule[];
  functions: Map<string, Definition>;
}
