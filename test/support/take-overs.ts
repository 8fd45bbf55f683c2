import { type Platform, Session, StorageError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

// Writers of one session who take it over from each other in the middle of writing, and what must be true of it then: all that
// a listener was shown is there, under the number that it was shown with.

/** Longer logs take longer to open; then the next session's turn has come. */
const EVENTS_PER_SESSION = 400;
/** How far the log grows, at the most, until the next one takes over. */
const MAX_GROWTH = 30;
/** Looks at a log that does not grow before somebody takes it over all the same. */
const MAX_LOOKS = 100;
/** Events that are committed in one turn of the event loop: some wait for the disk together, some stand in line. */
const MAX_AT_ONCE = 3;
/** How often a writer lets others run before it writes on. */
const YIELDS = 0.2;
const EVENTS_PER_TAKE_OVER = 20;
const MAX_SESSIONS_AT_ONCE = 20;

export interface Contention {
  /** By session: each event that a listener was shown, as `<seq> <text>`. */
  shown: string[][];
  /** How many holders were told, by the write that it was refused to, that they had lost the session. */
  takenOver: number;
  /** How else an opening or a write failed. */
  failures: string[];
}

/** Which sessions are contended for. */
export interface Sessions {
  first: number;
  count: number;
  cwd: string;
}

/** Works through the sessions as the writer `name`; other writers do the same meanwhile. */
export async function contend(
  platform: Platform,
  { name, first, count, cwd }: Sessions & { name: string },
): Promise<Contention> {
  const contention: Contention = { shown: [], takenOver: 0, failures: [] };
  for (let index = first; index < first + count; index++) {
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
        await session
          .shutdown()
          .catch((error: unknown) => contention.failures.push(`shutdown: ${told(error)}`));
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
  { contentions, first, count, cwd }: Sessions & { contentions: readonly Contention[] },
): Promise<Judgement> {
  const problems = contentions.flatMap(({ failures }) => failures);
  let shown = 0;
  for (let index = first; index < first + count; index++) {
    const stored = await storedIn(platform, { cwd, index });
    problems.push(...stored.problems);
    for (const event of contentions.flatMap((each) => each.shown[index - first] ?? [])) {
      shown += 1;
      if (!stored.events.has(event)) problems.push(`session ${index} has lost ${event}`);
    }
  }
  const takenOver = contentions.reduce((sum, each) => sum + each.takenOver, 0);
  return { problems, shown, takenOver };
}

/**
 * Has sessions contended for, some at a time, until there were as many take-overs as asked for, and `EVENTS_PER_TAKE_OVER`
 * times as many events were shown. Ends with the first problem.
 */
export async function contendUntil(
  takeOvers: number,
  round: (sessions: Omit<Sessions, "cwd">) => Promise<Judgement>,
): Promise<Judgement> {
  const total: Judgement = { problems: [], shown: 0, takenOver: 0 };
  const count = Math.min(MAX_SESSIONS_AT_ONCE, Math.ceil(takeOvers / 20));
  const isEnough = (): boolean =>
    total.takenOver >= takeOvers && total.shown >= takeOvers * EVENTS_PER_TAKE_OVER;
  for (let first = 0; total.problems.length === 0 && !isEnough(); first += count) {
    const judgement = await round({ first, count });
    total.problems.push(...judgement.problems);
    total.shown += judgement.shown;
    total.takenOver += judgement.takenOver;
  }
  return total;
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
    // Where all writers share one thread, the others get a look at it.
    if (Math.random() < YIELDS) await new Promise((resolve) => setTimeout(resolve, 0));
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
