/** An arithmetic expression. Chains of operators of one rank are flat, so that a long sum is not a deep tree. */
export type Expression =
  | { readonly type: "number"; readonly value: bigint }
  /** Text that is no expression: an error once what precedes it is evaluated. */
  | {
      readonly type: "wrong";
      readonly reason: string;
      readonly token: string;
      /** The expression as far as it was read. */
      readonly text: string;
    }
  | Target
  | {
      readonly type: "chain";
      readonly first: Expression;
      readonly rest: readonly { readonly operator: string; readonly operand: Expression }[];
    }
  | { readonly type: "and" | "or" | "sequence"; readonly operands: readonly Expression[] }
  /** Operators from the outermost to the innermost. */
  | { readonly type: "unary"; readonly operators: readonly string[]; readonly operand: Expression }
  | {
      readonly type: "update";
      readonly operator: "++" | "--";
      readonly isPrefix: boolean;
      readonly target: Target;
    }
  | {
      readonly type: "assign";
      /** The operator before `=`, such as `+`. */
      readonly operator: string;
      readonly target: Target;
      readonly value: Expression;
    }
  | {
      readonly type: "choice";
      readonly condition: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    };

/** A variable, or an element of an array. */
export interface Target {
  readonly type: "variable";
  readonly name: string;
  /** The text between the brackets: a key or another expression, as the variable's type says. */
  readonly subscript?: string | undefined;
}
