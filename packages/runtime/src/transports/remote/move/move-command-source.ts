import { RobotaError, ValidationError } from "../../../errors.ts";
import type {
  Command,
  CommandResult,
  CommandSource,
} from "../../../interactive/commands/command.ts";
import type { CommandSession } from "../../../interactive/commands/command-session.ts";
import type { RemoteAddress } from "../link-to.ts";
import { type MoveOptions, moveToServer } from "./move-to-server.ts";

export interface MoveCommandOptions extends Omit<MoveOptions, "keepId"> {
  /**
   * The access to the server that a person names: the token, which needs the scope `admin`, and the `fetch`. Called with
   * the address, before any request. A thrown error is shown to the person, with its hint.
   */
  accessTo: (url: string) => Omit<RemoteAddress, "url"> | Promise<Omit<RemoteAddress, "url">>;
  /** The server that `/move` without an address means. */
  defaultUrl?: string | undefined;
}

/**
 * The command `/move <address>`: a person hands the session over to a server, also while a turn runs. It goes on there
 * under its id where that is free, with its turn, its queue and its open requests. The result's `data.movedTo` is the
 * place, `{ sessionId, url }`: the program around the session follows it there. Neither a model nor a remote caller may
 * run it: it sends the token to the address.
 */
export class MoveCommandSource implements CommandSource {
  readonly name = "move";
  readonly #commands: readonly Command[];

  constructor(options: MoveCommandOptions) {
    this.#commands = [
      {
        name: "move",
        description: "Continue this session on a server",
        source: "builtin",
        argumentHint: options.defaultUrl === undefined ? "<address>" : "[address]",
        scope: "privilege",
        callers: ["person"],
        execute: (session, args) => move(session, args.trim(), options),
      },
    ];
  }

  getCommands(): readonly Command[] {
    return this.#commands;
  }
}

async function move(
  session: CommandSession,
  typed: string,
  { accessTo, defaultUrl = "", ...options }: MoveCommandOptions,
): Promise<CommandResult> {
  const url = addressOf(typed || defaultUrl);
  try {
    const server = { ...(await accessTo(url)), url };
    const place = await moveToServer(session, server, { ...options, keepId: true });
    return {
      message: `Moved to ${url}, as session ${place.sessionId}.`,
      success: true,
      data: { movedTo: { ...place } },
    };
  } catch (error) {
    throw withWhereabouts(error, session);
  }
}

/** Nothing but origin and path: what else an address may hold, such as a password, would be in the session's log. */
function addressOf(text: string): string {
  const { protocol, origin, pathname } = URL.parse(text) ?? {};
  if (protocol === "http:" || protocol === "https:")
    return `${origin}${pathname?.replace(/\/+$/, "")}`;
  throw new ValidationError(
    text === "" ? "/move needs the address of a server" : "That is not the address of a server",
    { hint: "Write it like /move https://robota.example. The session goes on here." },
  );
}

/** The same failure, with a hint that says where the session is. */
function withWhereabouts(error: unknown, { handedOverTo }: CommandSession): unknown {
  if (!(error instanceof RobotaError)) return error;
  const where = handedOverTo
    ? "The session has stopped here, and may have arrived: the same command completes the move."
    : "The session goes on here.";
  if (error.hint.includes(where)) return error;
  const { message, code, category, recoverable, hint } = error;
  return new RobotaError(message, {
    code,
    category,
    recoverable,
    hint: `${hint} ${where}`.trim(),
    cause: error,
  });
}
