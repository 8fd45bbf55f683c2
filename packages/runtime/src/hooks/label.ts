import { redact } from "../messages/redact.ts";
import { cutEnd } from "../tools/text-cut.ts";
import type { HookDefinition } from "./definition.ts";

const MAX_LABEL = 80;

/** The name of a hook for people. An address is reduced to its origin: the rest can contain a key. */
export function hookLabel(hook: HookDefinition): string {
  switch (hook.type) {
    case "command":
      return `command ${short(hook.command)}`;
    case "http":
      return `http ${originOf(hook.url)}`;
    case "prompt":
      return hook.judge ? "prompt (judge)" : "prompt";
    case "agent":
      return `agent ${short(hook.agent)}`;
    case "function":
      return `function ${short(hook.name || hook.run.name) || "without a name"}`;
    default:
      return short(hook.type);
  }
}

/** The secrets of a hook, for redaction in messages. */
export function hookSecrets(hook: HookDefinition): string[] {
  if (hook.type !== "http") return [];
  const { pathname, searchParams } = new URL(hook.url);
  const words = [...pathname.split("/"), ...searchParams.values()].filter(isKeyLike);
  return [hook.url, ...words, ...headerSecrets(hook.headers)];
}

function headerSecrets(headers: Readonly<Record<string, string>> = {}): string[] {
  // The part behind a scheme, as in `Bearer …`, is the secret on its own too.
  return Object.values(headers).flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)]);
}

/** Words such as `hooks` are not secrets, and redacting them would make messages hard to read. */
function isKeyLike(part: string): boolean {
  return part.length >= 8;
}

function originOf(url: string): string {
  return new URL(url).origin;
}

function short(text: string): string {
  const line = redact(text).replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_LABEL ? `${cutEnd(line, MAX_LABEL - 1)}…` : line;
}
