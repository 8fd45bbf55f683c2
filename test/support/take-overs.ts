import { type Platform, Session, StorageError } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";

// Writers of one session who take it over from each other in the middle of writing, and the invariant: every event that
// a listener received is stored, under the same number.

/** Limit of events per session, since longer logs take longer to open; the next session follows. */
const EVENTS_PER_SESSION = 400;
/** Maximum growth of the log before the next take-over. */
const MAX_GROWTH = 30;
/** Checks of a log that does not grow before it is taken over anyway. */
const MAX_LOOKS = 100;
/** Events committed in one turn of the event loop: some wait for the disk together, some are queued. */
const MAX_AT_ONCE = 3;
/** Probability that a writer yields before its next write. */
const YIELDS = 0.2;
const EVENTS_PER_TAKE_OVER = 20;
const MAX_SESSIONS_AT_ONCE = 20;

export interface Contention {
  /** Events that a listener received, as `<seq> <text>`, by session. */
  shown: string[][];
  /** Number of holders whose refused write reported the loss of the session. */
  takenOver: number;
  /** Other failures of an opening or a write. */
  failures: string[];
}

/** The sessions contended for. */
export interface Sessions {
  first: number;
  count: number;
  cwd: string;
}

/** Works through the sessions as the writer `name`, concurrently with other writers. */
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
        else contention.failures.push(describeError(error));
      } finally {
        await session
          .shutdown()
          .catch((error: unknown) => contention.failures.push(`shutdown: ${describeError(error)}`));
      }
      await untilGrown(platform, index);
    }
  }
  return contention;
}

export interface Judgement {
  problems: string[];
  /** Events that listeners received, of all writers. */
  shown: number;
  takenOver: number;
}

/** Checks that every received event is stored once and under its number, and that the logs are otherwise valid. */
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
 * Runs contended sessions, some at a time, until the requested number of take-overs, and `EVENTS_PER_TAKE_OVER` times
 * as many received events. Ends with the first problem.
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
    // When all writers share one thread, this lets the others check the log.
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

function describeError(error: unknown): string {
  return error instanceof StorageError ? `${error.code}: ${error.message}` : String(error);
}
