export interface Delays {
  /** Milliseconds before the first attempt to connect again; 250 when omitted. */
  firstDelayMs?: number | undefined;
  /** Limit of the doubling, in milliseconds; 30,000 when omitted. */
  maxDelayMs?: number | undefined;
}

/**
 * Milliseconds before attempt number `failures` (from 0): doubling up to the limit, of which a random half is taken off, so
 * that the clients of a server that comes back do not come all at once.
 */
export function delayBefore(
  failures: number,
  { firstDelayMs = 250, maxDelayMs = 30_000 }: Delays,
): number {
  const delay = Math.min(firstDelayMs * 2 ** Math.min(failures, 30), maxDelayMs);
  return delay * (1 - 0.5 * Math.random());
}
