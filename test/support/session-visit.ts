import {
  InteractiveSession,
  type Platform,
  RobotaError,
  Session,
  type SessionEvent,
} from "@robota/runtime";
import { watchSession } from "@robota/runtime/sessions";
import { ScriptedProvider } from "@robota/runtime/testing";

// A session that one tab or process holds and works in, as seen by a visitor.

const ID = "s";
/** A number that no holder reaches. */
const QUESTIONS = 2_000;

/** An event by its number and type. */
export type Reported = `${number} ${SessionEvent["type"]}`;

/**
 * Asks one question after the other until it is refused, and passes on each stored event as its listener receives it.
 * Resolves to the refusal.
 */
export async function holdSession(
  platform: Platform,
  report: (event: Reported) => void,
): Promise<string> {
  const script = Array.from({ length: QUESTIONS }, (_, index) => ({
    deltas: ["Answer ", String(index)],
    delayMs: 5,
  }));
  const session = new Session({
    platform,
    sessionId: ID,
    provider: new ScriptedProvider(script),
    trackFiles: false,
  });
  let last = 0;
  session.subscribe((event) => {
    const { seq, type } = event;
    // An unstored event has the number of the event before it, which listeners never received if its write was refused.
    const isKept = seq > last && !(type === "note" && event.kind === "taken-over");
    if (isKept) report(`${seq} ${type}`);
    last = seq;
  });
  try {
    for (let question = 0; question < QUESTIONS; question++) {
      await session.run(`Question ${question}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return "nothing refused";
  } catch (error) {
    // Stays refused: later answers are stored nowhere.
    await session.run("Once more").catch(() => undefined);
    return error instanceof RobotaError ? error.code : String(error);
  } finally {
    await session.shutdown();
  }
}

export interface Visit {
  /** The error on opening the session. */
  refusal: { code: string; message: string };
  /** The answer in a fork, and the number of messages that the fork started with. */
  fork: { answer: string; before: number };
  /** The answer after the take-over. */
  answer: string;
  /** Events it followed, each with its delay in milliseconds. */
  seen: { event: Reported; delay: number }[];
  /** The final log of the session. */
  stored: Reported[];
  /** Notes about the log in the history. */
  notes: string[];
}

/** Finds the session held, follows it, forks it, and takes it over. */
export async function visitSession(platform: Platform, cwd: string): Promise<Visit> {
  const options = { platform, cwd, trackFiles: false };
  const scripted = (text: string): ScriptedProvider => new ScriptedProvider([{ text }]);
  const seen: Visit["seen"] = [];
  const reading = new AbortController();
  const reader = (async () => {
    for await (const { seq, type, time } of watchSession(platform.storage, ID, reading))
      seen.push({ event: `${seq} ${type}`, delay: Date.now() - time });
  })();

  const refused = new Session({ ...options, sessionId: ID, provider: scripted("Never") });
  const refusal = await refused.open().then(
    () => ({ code: "", message: "it opened" }),
    (error: unknown) => ({
      code: error instanceof RobotaError ? error.code : "",
      message: String(error),
    }),
  );
  await refused.shutdown();

  const forked = new InteractiveSession({
    ...options,
    provider: scripted("In a fork"),
    resumeSessionId: ID,
    forkSession: true,
  });
  await forked.ready;
  const before = forked.getMessages().length;
  const fork = { answer: (await forked.submit("And here?")).response, before };
  await forked.shutdown();

  const taker = new Session({
    ...options,
    sessionId: ID,
    provider: scripted("Taken"),
    takeOver: true,
  });
  const answer = await taker.run("Now me");
  await taker.shutdown();
  const stored: Reported[] = [];
  const end = new AbortController();
  for await (const { seq, type } of watchSession(platform.storage, ID, end)) {
    stored.push(`${seq} ${type}`);
    if (type === "session_shutdown") end.abort();
  }
  for (let look = 0; look < 100 && seen.length < stored.length; look++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  reading.abort();
  await reader;

  const last = new Session({ ...options, sessionId: ID, provider: scripted("Never") });
  await last.open();
  const notes = last.getFullHistory().flatMap(({ type }) => (type.startsWith("log-") ? type : []));
  await last.shutdown();
  return { refusal, fork, answer, seen, stored, notes };
}

/** Violations found; `told`: the holder's events, until it was refused. */
export function visitProblems(visit: Visit, reported: readonly Reported[]): string[] {
  const { refusal, fork, answer, seen, stored, notes } = visit;
  const problems = notes.map((note) => `the log has ${note}`);
  if (refusal.code !== "SESSION_BUSY") problems.push(`opening it: ${refusal.message}`);
  if (!/with scripted scripted; at 20/.test(refusal.message))
    problems.push(`not told who holds it: ${refusal.message}`);
  if (fork.answer !== "In a fork" || fork.before === 0) problems.push("the fork is none");
  if (answer !== "Taken") problems.push(`taken over, it answers ${answer}`);
  const numbers = stored.map((event) => Number.parseInt(event, 10));
  if (numbers.some((seq, at) => at > 0 && seq <= (numbers[at - 1] ?? 0)))
    problems.push("the log has numbers twice");
  if (seen.map(({ event }) => event).join() !== stored.join())
    problems.push("what was read along is not the log");
  const taken = stored.findIndex((event) => event.endsWith(" session_resume"));
  const ofHolder = new Set(stored.slice(0, taken));
  const known = new Set(reported);
  const lastOfHolder = numbers[taken - 1] ?? 0;
  for (const event of reported) {
    // Streamed at once and stored within a tenth of a second, during which the take-over happened.
    const isStreamed = event.endsWith(" text_delta") && Number.parseInt(event, 10) > lastOfHolder;
    if (!ofHolder.has(event) && !isStreamed) problems.push(`${event} is lost`);
  }
  // Only its last write can be stored without being shown: the holder learned of the take-over before the write's outcome.
  const lastShown = [...ofHolder].findLastIndex((event) => known.has(event));
  for (const event of [...ofHolder].slice(0, lastShown))
    if (!known.has(event)) problems.push(`${event} was never shown`);
  const delays = seen.map(({ delay }) => delay).sort((one, other) => one - other);
  const median = delays[delays.length >> 1] ?? Infinity;
  if (median > 300) problems.push(`what happens is seen ${median} ms later`);
  return problems;
}
