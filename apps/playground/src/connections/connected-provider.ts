import {
  AuthenticationError,
  chat,
  type ChatOptions,
  contentText,
  type Message,
  type Provider,
} from "@robota/runtime";
import { generate as ask, streamEvents } from "@robota/runtime/providers";
import { withRequestRecord } from "../state/request-record.ts";
import { type Connection, hostOf } from "./connection.ts";
import { keyRing } from "./keys/key-ring.ts";
import { makeProvider } from "./make-provider.ts";
import type { SessionSettings } from "./session-settings.ts";

/** A session's provider: it looks up the key with each request, so that a key entered later counts. */
export function connectedProvider(
  connection: Connection,
  { effort, instructions = "" }: SessionSettings = {},
): Provider {
  let made: { key: string | undefined; provider: Promise<Provider> } | undefined;
  const current = (): Promise<Provider> => {
    const key = requireKey(connection);
    if (made?.key !== key) made = { key, provider: makeProvider(connection, key) };
    // A part that could not be loaded is loaded again with the next request.
    made?.provider.catch(() => (made = undefined));
    return made?.provider ?? makeProvider(connection, key);
  };
  const generate: NonNullable<Provider["generate"]> = async (messages, options, onEvent) => {
    await keyRing.look();
    const wanted: ChatOptions = { ...options, effort: options.effort ?? effort };
    // The offline guide keeps its requests for the inspector itself.
    const provider = await current();
    const asked = connection.service === "offline" ? provider : withRequestRecord(provider);
    return ask(asked, withInstructions(messages, instructions), wanted, onEvent);
  };
  const own: Provider = {
    name: connection.provider,
    model: connection.model,
    generate,
    chat: (messages, options = {}) => chat(own, messages, options),
    chatStream: (messages, options = {}) => streamEvents(generate, messages, options),
  };
  return own;
}

/** The conversation with more at the end of its system message. */
function withInstructions(messages: readonly Message[], instructions: string): readonly Message[] {
  const text = instructions.trim();
  if (text === "") return messages;
  const [first, ...rest] = messages;
  if (first?.role === "system")
    return [{ ...first, content: `${contentText(first.content)}\n\n${text}` }, ...rest];
  const added: Message = {
    role: "system",
    id: "instructions",
    timestamp: new Date(0),
    content: text,
  };
  return [added, ...messages];
}

/** @throws {AuthenticationError} when the key is locked or gone */
function requireKey(connection: Connection): string | undefined {
  const state = keyRing.stateOf(connection);
  const host = hostOf(connection.baseURL) ?? connection.provider;
  const facts = { provider: connection.provider };
  if (state === "locked")
    throw new AuthenticationError("Your stored keys are locked", {
      ...facts,
      hint: "Open the model menu at the top and enter your passphrase. Then send the prompt again.",
    });
  if (state === "missing")
    throw new AuthenticationError(`There is no key for ${host}`, {
      ...facts,
      hint: "Open the model menu at the top and enter it again: keys are kept until you reload, unless you choose otherwise.",
    });
  return keyRing.keyOf(connection);
}
