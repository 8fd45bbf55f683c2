import { ConfigurationError } from "../errors.ts";
import type { Platform } from "../ports/platform.ts";
import type { Provider } from "../providers/provider.ts";
import { Session } from "../session/session.ts";
import type { SessionHeader } from "../session/store/header.ts";

/** Opens a stored session to hand it over. No model is asked: a turn that was cut stays open. */
export function openToMove(platform: Platform, stored: SessionHeader): Session {
  return new Session({
    platform,
    provider: unasked(stored),
    sessionId: stored.id,
    cwd: stored.cwd,
    onInterruptedTurn: "continue",
  });
}

/** Stands for the model that a session had, and is never called. */
function unasked({ provider: name, model }: SessionHeader): Provider {
  const refuse = (): never => {
    throw new ConfigurationError("A session that moves asks no model");
  };
  return { name, model, chat: async () => refuse(), chatStream: () => refuse() };
}
