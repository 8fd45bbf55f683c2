import { HttpProblem } from "../problem.ts";

/** The limits of one principal over all its sessions. */
export interface UsageLimits {
  /** Requests of a minute on average; as many may come at once. */
  requestsPerMinute: number;
  /** Open event streams at a time. */
  streams: number;
  /** Tokens of models on one day (UTC), of every kind; no limit when omitted. */
  tokensPerDay?: number | undefined;
  /** US dollars for models on one day (UTC); no limit when omitted. */
  dollarsPerDay?: number | undefined;
}

/** Limits of a principal unless the operator sets others. Use of models is unlimited. */
export const DEFAULT_USAGE_LIMITS: UsageLimits = { requestsPerMinute: 600, streams: 32 };

/** The usage of a model, or its limit. */
export interface ModelUse {
  tokens: number;
  /** US dollars; `undefined` when the model's price is not known. */
  dollars: number | undefined;
}

/** A principal's use so far, as JSON, for a host to store. Times are milliseconds since the epoch. */
export interface Usage {
  /**
   * Requests that count against the limit at the time `requestsAt`. What was spent is kept rather than what is left: a
   * limit that the operator raises then helps at once.
   */
  requests?: number;
  requestsAt?: number;
  /** The day that `tokens` and `dollars` are of, such as `2026-11-23`. */
  day?: string;
  tokens?: number;
  dollars?: number;
  /** Open streams, and until when each counts if nothing is heard of it. */
  streams?: Record<string, number>;
}

/** A refusal as data, so that it can come from another process. */
export interface Refusal {
  code: "TOO_MANY_REQUESTS" | "TOO_MANY_STREAMS" | "DAILY_LIMIT";
  message: string;
  hint: string;
  /** Seconds after which it may work. */
  retryAfter: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A stream whose process died counts no longer than this; living ones are renewed. */
export const STREAM_MS = MINUTE;

/** Counts a request, or refuses it. Changes `usage`. */
export function takeRequest(
  usage: Usage,
  { requestsPerMinute }: UsageLimits,
  now: number,
): Refusal | undefined {
  const { requests = 0, requestsAt = now } = usage;
  const forgotten = (Math.max(0, now - requestsAt) * requestsPerMinute) / MINUTE;
  // No more than the limit: one that was lowered refuses nobody for longer than a minute.
  const spent = Math.max(0, Math.min(requestsPerMinute, requests) - forgotten);
  const available = requestsPerMinute - spent;
  usage.requestsAt = now;
  usage.requests = available < 1 ? spent : spent + 1;
  if (available >= 1) return undefined;
  return {
    code: "TOO_MANY_REQUESTS",
    message: `You may send ${requestsPerMinute} requests a minute.`,
    hint: "Wait for Retry-After seconds, and follow events in one stream instead of asking again.",
    retryAfter: Math.ceil(((1 - available) * MINUTE) / requestsPerMinute / 1000),
  };
}

/** Counts a stream that opens, or refuses it. Changes `usage`. */
export function openStream(
  usage: Usage,
  { streams: limit }: UsageLimits,
  { id, now }: { id: string; now: number },
): Refusal | undefined {
  const streams = Object.fromEntries(
    Object.entries(usage.streams ?? {}).filter(([, until]) => until > now),
  );
  usage.streams = streams;
  if (Object.keys(streams).length < limit) {
    streams[id] = now + STREAM_MS;
    return undefined;
  }
  return {
    code: "TOO_MANY_STREAMS",
    message: `You have ${limit} event streams open.`,
    hint: "Close one. A connection that has broken is noticed within seconds.",
    retryAfter: 15,
  };
}

/** Forgets streams that have closed. Changes `usage`. */
export function closeStreams(usage: Usage, ids: readonly string[]): void {
  for (const id of ids) delete usage.streams?.[id];
}

/** Lets streams count on that are still open. Changes `usage`. */
export function renewStreams(usage: Usage, ids: readonly string[], now: number): void {
  for (const id of ids) usage.streams = { ...usage.streams, [id]: now + STREAM_MS };
}

/** Refuses a turn when the day's tokens or money are spent. */
export function checkDay(usage: Usage, limits: UsageLimits, now: number): Refusal | undefined {
  return checkUse(usage, limits, { use: { tokens: 1, dollars: 0 }, now });
}

/**
 * Counts what a model call may use before it is made, or refuses it; so calls at the same time can't pass a limit
 * together. Changes `usage`.
 */
export function reserveUse(
  usage: Usage,
  limits: UsageLimits,
  { use, now }: { use: ModelUse; now: number },
): Refusal | undefined {
  const refusal = checkUse(usage, limits, { use, now });
  if (!refusal) addUse(usage, use);
  return refusal;
}

/** Corrects a reservation by what the call did use. One of a day that is over stays as it is. Changes `usage`. */
export function settleUse(
  usage: Usage,
  { reserved, used, day }: { reserved: ModelUse; used: ModelUse; day: string },
): void {
  if (usage.day !== day) return;
  addUse(usage, {
    tokens: used.tokens - reserved.tokens,
    dollars: (used.dollars ?? reserved.dollars ?? 0) - (reserved.dollars ?? 0),
  });
}

/** The day of a time, in UTC. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The answer to a request beyond a limit. */
export function limitProblem({ code, message, hint, retryAfter }: Refusal): HttpProblem {
  return new HttpProblem(429, code, message, {
    hint,
    headers: { "retry-after": String(retryAfter) },
  });
}

function addUse(usage: Usage, { tokens, dollars = 0 }: ModelUse): void {
  usage.tokens = Math.max(0, (usage.tokens ?? 0) + tokens);
  usage.dollars = Math.max(0, (usage.dollars ?? 0) + dollars);
}

function checkUse(
  usage: Usage,
  { tokensPerDay = Infinity, dollarsPerDay = Infinity }: UsageLimits,
  { use, now }: { use: ModelUse; now: number },
): Refusal | undefined {
  if (usage.day !== dayOf(now)) Object.assign(usage, { day: dayOf(now), tokens: 0, dollars: 0 });
  // A limit in dollars can't be kept for a model whose price is not known: better none of it than any amount.
  const dollars = use.dollars ?? (dollarsPerDay === Infinity ? 0 : Infinity);
  const isOver =
    (usage.tokens ?? 0) + use.tokens > tokensPerDay ||
    (usage.dollars ?? 0) + dollars > dollarsPerDay;
  if (!isOver) return undefined;
  const limits = [
    ...(tokensPerDay === Infinity ? [] : [`${tokensPerDay} tokens`]),
    ...(dollarsPerDay === Infinity ? [] : [`${dollarsPerDay} US dollars`]),
  ];
  return {
    code: "DAILY_LIMIT",
    message: `The models of your sessions may use ${limits.join(" and ")} a day (UTC).`,
    hint: "Wait for the next day, or ask the server's operator for more.",
    retryAfter: Math.ceil((DAY - (now % DAY)) / 1000),
  };
}
