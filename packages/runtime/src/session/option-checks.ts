import { ConfigurationError, ValidationError } from "../errors.ts";

/** Default share of the window above which a session compacts automatically. */
const DEFAULT_THRESHOLD = 0.835;

/** Validates the threshold. @throws {ValidationError} for anything but `false` or a share of the window */
export function requireThreshold(value: number | false = DEFAULT_THRESHOLD): number | false {
  if (value === false || (value > 0 && value <= 1)) return value;
  throw new ValidationError(`${value} is not a threshold for automatic compaction`, {
    hint: "Give a share of the window above 0 and up to 1, such as 0.8, or false for none.",
  });
}

/** Validates how many prompts may wait. @throws {ConfigurationError} for a limit that means none, such as NaN */
export function requireQueueLimit(limit = 1): number {
  if (limit === Infinity || (Number.isInteger(limit) && limit >= 0)) return limit;
  throw new ConfigurationError(`The option queueLimit is ${String(limit)}`, {
    hint: "Give the number of prompts that may wait: 0, 1 or more.",
  });
}
