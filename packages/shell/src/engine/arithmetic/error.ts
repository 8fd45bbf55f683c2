/** An expression that can't be evaluated. `message` is in bash's words, without the command's name. */
export class ArithmeticError extends Error {
  override readonly name = "ArithmeticError" as const;

  constructor(expression: string, reason: string, token?: string) {
    const place = token === undefined ? "" : ` (error token is "${token}")`;
    super(`${expression.trimStart()}: ${reason}${place}`);
  }
}
