/** Watches the order of the lines of two sorted inputs, as `comm` and `join` do. */
export interface OrderWatch {
  /** Called with each line of an input and the one before it. @returns a complaint, once for each input */
  note(input: 0 | 1, isInOrder: boolean, hasUnpaired: boolean): string | undefined;
  readonly hasComplained: boolean;
  /** True when a complaint ends the program. */
  readonly endsAtOnce: boolean;
}

/** `checks`: always, never, or only once a line without a partner has been seen. */
export function createOrderWatch(checks: "always" | "never" | "unpaired"): OrderWatch {
  const complained = [false, false];
  return {
    endsAtOnce: checks === "always",
    note(input, isInOrder, hasUnpaired) {
      const isChecked = checks === "always" || (checks === "unpaired" && hasUnpaired);
      if (!isChecked || isInOrder || complained[input]) return undefined;
      complained[input] = true;
      return `file ${input + 1} is not in sorted order`;
    },
    get hasComplained() {
      return complained.includes(true);
    },
  };
}

/** The kind of check that options ask for. */
export function checksOf(options: ReadonlyMap<string, string>): "always" | "never" | "unpaired" {
  if (options.has("check-order")) return "always";
  return options.has("nocheck-order") ? "never" : "unpaired";
}
