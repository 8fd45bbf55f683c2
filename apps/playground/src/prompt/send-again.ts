import { parseCommand, sessionStore, type TurnView } from "@robota/react/store";
import type { ClientSession } from "@robota/runtime/sessions";
import { composeText } from "../chat/composer/compose.ts";
import type { PageState } from "../state/page-state.ts";

/**
 * Sends another version of a turn's message: conversation and files go back to before the turn, which stays reachable.
 * Resolves when they are there; the text is in the message box when it could not be sent then.
 * @throws as `Session.rewind`; nothing has changed then
 */
export async function sendAgain(
  page: PageState,
  session: ClientSession,
  turn: TurnView,
  text: string,
): Promise<void> {
  const own = ownAttachments(turn);
  await session.rewind(turn.id);
  submit(session, text, own).catch((error: unknown) => {
    composeText(text, own);
    page.reportProblem(error);
  });
}

/** The attachments of a turn's person. The session made the others from mentions, and reads again what a text mentions. */
export function ownAttachments({ attachments }: Pick<TurnView, "attachments">) {
  return attachments?.filter(({ name }) => !name?.startsWith("@"));
}

async function submit(
  session: ClientSession,
  text: string,
  attachments: TurnView["attachments"],
): Promise<void> {
  const command = parseCommand(text);
  if (command && (await session.executeCommand(command.name, command.args))) return;
  await session.submit(text, { attachments });
}

/** Opens a new session that has the conversation up to the end of a turn, and a copy of the files of that time. */
export async function forkAfter(
  page: PageState,
  session: ClientSession,
  turnId: string,
): Promise<void> {
  const phase = page.phase.get();
  const server = phase.kind === "remote" ? phase.server : undefined;
  const fork = await session.fork(server ? turnAfter(session, turnId) : endOf(session, turnId));
  const name = session.getName();
  if (name) await fork.setName(`${name} (fork)`);
  await fork.shutdown();
  await (server ? page.openRemote(server, fork.sessionId) : page.open(fork.sessionId));
}

/** The number of the event that ends a turn. */
function endOf(session: ClientSession, turnId: string): number | undefined {
  const rows = sessionStore(session).rows.get();
  return rows.findLast(({ event }) => event.type === "turn_end" && event.turnId === turnId)?.event
    .seq;
}

/** The checkpoint of the next turn, which is where a server forks; none behind the last turn. */
function turnAfter(session: ClientSession, turnId: string): string | undefined {
  const turns = sessionStore(session)
    .get()
    .timeline.filter(({ kind }) => kind === "turn");
  return turns[turns.findIndex(({ id }) => id === turnId) + 1]?.id;
}
