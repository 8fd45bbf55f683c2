import type { SessionDirectory } from "./session-directory.ts";
import type { SessionObject } from "./session-object.ts";

/** Bindings, variables and secrets of the worker. */
export interface Environment {
  /** One object per session. */
  SESSIONS: DurableObjectNamespace<SessionObject>;
  /** One object per owner: the list of their sessions. */
  DIRECTORIES: DurableObjectNamespace<SessionDirectory>;
  /** Bearer token of the worker's single user. */
  API_TOKEN?: string;
  /** Alternative for several callers: a JSON object of their names and tokens. */
  API_TOKENS?: string;
  /** `1` lets everybody in without a token, on the offline provider only. */
  ALLOW_ANONYMOUS_OFFLINE?: string;
  /**
   * Hosts to answer for, separated by commas, such as `robota.example`. By default, all with tokens; with anonymous
   * access, those of this machine.
   */
  ALLOWED_HOSTS?: string;
  /** Web origins that may call, separated by commas. */
  ALLOWED_ORIGINS?: string;
  /** Sessions that one owner may have; 20 when missing. */
  SESSIONS_PER_OWNER?: string;
  /** Delay after which a turn that died with its isolate is closed; 30 when missing. */
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
