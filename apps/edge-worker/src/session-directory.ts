import type { Refusal, SessionSummary, UsageLimits, UseMeter } from "@robota/runtime/transports";
import { DurableObject } from "cloudflare:workers";
import type { Environment } from "./environment.ts";
import { StoredUsage } from "./stored-usage.ts";

/** The outcome of `reserve`: a free id, the same request again, another request with that id, or no room. */
export type Reservation = "new" | "known" | "different" | "full";

/** One owner's list of sessions, with a summary of each, and what the owner uses. The sessions themselves live elsewhere. */
export class SessionDirectory extends DurableObject<Environment> {
  readonly #sql = this.ctx.storage.sql;
  readonly #usage = new StoredUsage(this.ctx.storage.kv);

  constructor(state: DurableObjectState, env: Environment) {
    super(state, env);
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS sessions (
         id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, updated_at TEXT NOT NULL, summary TEXT NOT NULL)`,
    );
  }

  /** Takes an id before the session is made, so that no session exists that no list shows. */
  reserve(id: string, fingerprint: string, limit: number): Reservation {
    const known = this.#sql
      .exec<{ fingerprint: string }>("SELECT fingerprint FROM sessions WHERE id = ?", id)
      .toArray()[0];
    if (known) return known.fingerprint === fingerprint ? "known" : "different";
    const { count } = this.#sql
      .exec<{ count: number }>("SELECT COUNT(*) AS count FROM sessions")
      .one();
    if (count >= limit) return "full";
    const createdAt = new Date().toISOString();
    const summary: SessionSummary = { id, createdAt, updatedAt: createdAt, state: "idle" };
    this.#sql.exec(
      "INSERT INTO sessions VALUES (?, ?, ?, ?)",
      id,
      fingerprint,
      createdAt,
      JSON.stringify(summary),
    );
    return "new";
  }

  /** Updates a session's summary. Updates may overtake each other, and a deleted session stays deleted. */
  update(summary: SessionSummary): void {
    this.#sql.exec(
      "UPDATE sessions SET updated_at = ?1, summary = ?2 WHERE id = ?3 AND updated_at <= ?1",
      summary.updatedAt,
      JSON.stringify(summary),
      summary.id,
    );
  }

  /** Counts a request of the owner; `spends` when it would start a turn. */
  countRequest(limits: UsageLimits, spends: boolean): Refusal | undefined {
    return this.#usage.request(limits, spends);
  }

  openStream(limits: UsageLimits, id: string): Refusal | undefined {
    return this.#usage.open(limits, id);
  }

  renewStreams(ids: string[]): void {
    this.#usage.renew(ids);
  }

  closeStreams(ids: string[]): void {
    this.#usage.close(ids);
  }

  reserveUse(limits: UsageLimits, use: Parameters<UseMeter["reserve"]>[0]): Refusal | undefined {
    return this.#usage.reserve(limits, use);
  }

  settleUse(settled: Parameters<UseMeter["settle"]>[0]): void {
    this.#usage.settle(settled);
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM sessions WHERE id = ?", id);
  }

  /** Newest first. */
  list(): SessionSummary[] {
    return this.#sql
      .exec<{ summary: string }>("SELECT summary FROM sessions ORDER BY updated_at DESC, id")
      .toArray()
      .map(({ summary }) => JSON.parse(summary) as SessionSummary);
  }
}
