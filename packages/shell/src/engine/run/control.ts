/** `break` or `continue`: leaves the innermost loops. */
export class LoopJump extends Error {
  override readonly name = "LoopJump" as const;
  readonly kind: "break" | "continue";
  /** Loops that are still to be left. */
  levels: number;
  /** The status of the loop that is left. */
  readonly status: number;

  constructor(kind: "break" | "continue", levels: number, status = 0) {
    super(kind);
    this.kind = kind;
    this.levels = levels;
    this.status = status;
  }

  /** The same jump, as it goes on from a `!`, which turns the status around. */
  withStatus(status: number): LoopJump {
    return new LoopJump(this.kind, this.levels, status);
  }
}

/** `return`: leaves a function or a sourced script. */
export class FunctionReturn extends Error {
  override readonly name = "FunctionReturn" as const;
  readonly status: number;

  constructor(status: number) {
    super("return");
    this.status = status;
  }
}

/** A failed expansion, which is reported: leaves the line of the script that it is in. */
export class LineEnd extends Error {
  override readonly name = "LineEnd" as const;
  /** Ends the script under `set -e`, as any error but that of a calculation does. */
  readonly isFailure: boolean;

  constructor(isFailure: boolean) {
    super("end of line");
    this.isFailure = isFailure;
  }
}

/** `exit`, and whatever else ends a shell. */
export class ShellExit extends Error {
  override readonly name = "ShellExit" as const;
  readonly status: number;

  constructor(status: number) {
    super("exit");
    this.status = status;
  }
}

const UNBOUND = 127;

/** The status of a shell that a failed expansion ends, such as `${x?}`: that of `bash -c` has one of its own. */
export function statusOfFatal({ runsText }: { readonly runsText: boolean }): number {
  return runsText ? UNBOUND : 1;
}
