import type { SessionDirectory } from "./session-directory.ts";
import type { SessionObject } from "./session-object.ts";
import type { SettingName } from "./settings.ts";

/** Bindings, variables and secrets of the worker; those of `SETTINGS` come beside them. */
export interface Environment extends Partial<Record<SettingName, string>> {
  /** One object per session. */
  SESSIONS: DurableObjectNamespace<SessionObject>;
  /** One object per owner: the list of their sessions. */
  DIRECTORIES: DurableObjectNamespace<SessionDirectory>;
  /** Bearer token of the worker's single user. */
  API_TOKEN?: string;
  /**
   * Alternative for several callers: a JSON object of their names and tokens. A token is a text, for everything, or
   * `{"token": "…", "scopes": ["read", "prompt", "approve", "admin"]}` for some of it, with
   * `"expiresAt": "…"` (ISO 8601) for some time only; an owner may have a list of them.
   */
  API_TOKENS?: string;
  /**
   * The key that signs tickets, at least 32 random characters. Without it, derived from the tokens if all are as long;
   * otherwise there are no tickets.
   */
  TICKET_SECRET?: string;
  /** `1` lets everybody in without a token, on the offline provider only. */
  ALLOW_ANONYMOUS_OFFLINE?: string;
  /**
   * Hosts to answer for, separated by commas, such as `robota.example`. By default, all with tokens; with anonymous
   * access, those of this machine.
   */
  ALLOWED_HOSTS?: string;
  /** Web origins that may call, separated by commas. */
  ALLOWED_ORIGINS?: string;
  /** The settings of `settings.ts` as one JSON object, which count before the variables; see docs/edge.md. */
  CONFIG?: KVNamespace;
  /** `1` writes no line for each request. */
  NO_REQUEST_LOG?: string;
  /** Delay after which a turn that died with its isolate goes on; 30 when missing. */
  WATCHDOG_SECONDS?: string;
  /** Seconds before an unused anonymous session is deleted; a day by default. */
  ANONYMOUS_SECONDS?: string;
  ANTHROPIC_API_KEY?: string;
  ANTHROPIC_MODEL?: string;
  OPENAI_API_KEY?: string;
  OPENAI_MODEL?: string;
  /** Address of a compatible server; requires `OPENAI_MODEL`. For other services, see `providerFromEnvironment`. */
  OPENAI_BASE_URL?: string;
}
