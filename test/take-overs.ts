import { type Platform, Session, StorageError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

// Writers of one session who take it over from each other in the middle of writing, and what must be true of it then: all that
// a listener was shown is there, under the number that it was shown with.

/** Longer logs take longer to open; then the next session's turn has come. */
const EVENTS_PER_SESSION = 400;
/** How far the log grows, at the most, until the next one takes over. */
const MAX_GROWTH = 12;
/** Looks at a log that does not grow before somebody takes it over all the same. */
const MAX_LOOKS = 100;
/** Events that are committed in one turn of the event loop: some wait for the disk together, some stand in line. */
const MAX_AT_ONCE = 3;

export interface Contention {
  /** By session: each event that a listener was shown, as `<seq> <text>`. */
  shown: string[][];
  /** How many holders were told, by the write that it was refused to, that they had lost the session. */
  takenOver: number;
  /** How else an opening or a write failed. */
  failures: string[];
}

/** Works through `sessions` sessions as the writer `name`; other writers do the same meanwhile. */
export async function contend(
  platform: Platform,
  { name, sessions, cwd }: { name: string; sessions: number; cwd: string },
): Promise<Contention> {
  const contention: Contention = { shown: [], takenOver: 0, failures: [] };
  for (let index = 0; index < sessions; index++) {
    const shown: string[] = [];
    contention.shown.push(shown);
    let life = 0;
    for (;;) {
      const session = sessionAt(platform, { cwd, index, takeOver: true });
      session.subscribe((event) => {
        if (event.type === "queue_update") shown.push(`${event.seq} ${event.queue.join()}`);
      });
      try {
        await session.open();
        await writeOn(session, `${name}.${life++}`);
        break;
      } catch (error) {
        if (isFenced(error)) contention.takenOver += 1;
        else contention.failures.push(told(error));
      } finally {
        await session.shutdown().catch((error: unknown) => contention.failures.push(told(error)));
      }
      await untilGrown(platform, index);
    }
  }
  return contention;
}

export interface Judgement {
  problems: string[];
  /** Events that listeners were shown, of all writers. */
  shown: number;
  takenOver: number;
}

/** Looks whether all that was shown is there, once and under its number, and nothing else is wrong with the logs. */
export async function judge(
  platform: Platform,
  { contentions, cwd }: { contentions: readonly Contention[]; cwd: string },
): Promise<Judgement> {
  const problems = contentions.flatMap(({ failures }) => failures);
  const sessions = Math.max(...contentions.map((each) => each.shown.length));
  let shown = 0;
  for (let index = 0; index < sessions; index++) {
    const stored = await storedIn(platform, { cwd, index });
    problems.push(...stored.problems);
    for (const event of contentions.flatMap((each) => each.shown[index] ?? [])) {
      shown += 1;
      if (!stored.events.has(event)) problems.push(`session ${index} has lost ${event}`);
    }
  }
  const takenOver = contentions.reduce((sum, each) => sum + each.takenOver, 0);
  return { problems, shown, takenOver };
}

/** Writes until the session is full. @throws {StorageError} `FENCED` */
async function writeOn(session: Session, life: string): Promise<void> {
  let last = 0;
  const unsubscribe = session.subscribe(({ seq }) => (last = seq));
  for (let written = 0; last < EVENTS_PER_SESSION;) {
    const count = 1 + Math.floor(Math.random() * MAX_AT_ONCE);
    const texts = Array.from({ length: count }, (_, each) => `${life}.${written + each}`);
    written += count;
    const writes = await Promise.allSettled(texts.map((text) => session.setQueue([text])));
    const refused = writes.find((write) => write.status === "rejected");
    if (refused) throw refused.reason;
  }
  unsubscribe();
}

async function untilGrown(platform: Platform, index: number): Promise<void> {
  const log = `sessions/${idOf(index)}`;
  const enough =
    (await platform.storage.append(log, [])) + 1 + Math.floor(Math.random() * MAX_GROWTH);
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    if ((await platform.storage.append(log, [])) >= enough) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function storedIn(
  platform: Platform,
  { cwd, index }: { cwd: string; index: number },
): Promise<{ events: ReadonlySet<string>; problems: string[] }> {
  await using session = sessionAt(platform, { cwd, index, takeOver: false });
  await session.open();
  await session.setQueue(["end"]);
  const events = new Set<string>();
  const problems: string[] = [];
  for await (const event of session.events()) {
    if (event.type === "note") problems.push(`session ${index}: ${JSON.stringify(event)}`);
    if (event.type !== "queue_update") continue;
    if (event.queue[0] === "end") break;
    events.add(`${event.seq} ${event.queue.join()}`);
  }
  return { events, problems };
}

function sessionAt(
  platform: Platform,
  { cwd, index, takeOver }: { cwd: string; index: number; takeOver: boolean },
): Session {
  const provider = new ScriptedProvider([]);
  return new Session({ platform, cwd, sessionId: idOf(index), takeOver, provider });
}

function idOf(index: number): string {
  return `contended-${index}`;
}

function isFenced(error: unknown): boolean {
  return error instanceof StorageError && error.code === "FENCED";
}

function told(error: unknown): string {
  return error instanceof StorageError ? `${error.code}: ${error.message}` : String(error);
}
