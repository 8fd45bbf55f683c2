/**
 * jq with pauses, built into just-bash by `scripts/vendor.ts`.
 *
 * The evaluator is recursive and can't wait in the middle. At the end of its turn it is unwound by an exception, other
 * code runs, and it restarts with a record: completed calls return their recorded results, interrupted calls resume at
 * their position. That is correct because a filter has no side effects, and fast because only interrupted calls run
 * again. Short evaluations are never recorded.
 */

interface Node {
  type: string;
  name?: string;
  args?: readonly Node[];
  update?: Node;
  extract?: Node;
}

interface Files {
  /** Rejects when the program must end. */
  pace?(steps: number): Promise<void> | undefined;
}

/** The state that all evaluations of one program share. */
export interface Budget {
  operations: number;
  callDepth: number;
  // Fields added here.
  fs?: Files;
  turn?: Turn;
}

type Values = unknown[];

class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** The progress of one call of the evaluator. */
interface Frame {
  /** Results of the calls it made, in order. */
  readonly results: (Values | Failure)[];
  /** A node of whose results only the last is needed, as each new state replaces the old one. */
  readonly replaced: Node | undefined;
  /** Index of the last of these results. */
  replacedAt: number;
  /** The interrupted call inside of this one. */
  active: Frame | undefined;
  /** Number of calls since it started or restarted. */
  next: number;
}

interface Turn {
  /** The current call; missing until recording starts. */
  frame: Frame | undefined;
  /** Steps in the shell's unit; a call that may scan a text counts more. */
  steps: number;
  nextLook: number;
  started: number;
  maxMs: number;
  maxSteps: number;
  /** Number of results taken from the record; missing once it is used up. */
  replayed: number | undefined;
  /** Value of `operations` at the end of the last turn. */
  operations: number;
  /** The exception that unwinds the evaluation at the end of its turn. */
  end: Error | undefined;
}

const STEPS_PER_LOOK = 64;
const TURN_MS = 40;
/** Steps per turn on hosts whose clock stands still while code runs. */
const TURN_STEPS = 4_000;
/** Results read from a record in the time of one step, for hosts with a still clock. */
const REPLAYED_PER_STEP = 8;
/** Placeholder for replaced results in a record. */
const replacedResult: Values = [null];

function createTurn(): Turn {
  return {
    frame: undefined,
    steps: 0,
    nextLook: STEPS_PER_LOOK,
    started: performance.now(),
    maxMs: TURN_MS,
    maxSteps: TURN_STEPS,
    replayed: undefined,
    operations: 0,
    end: undefined,
  };
}

function createFrame(node?: Node): Frame {
  return {
    results: [],
    replaced: node && replacedBy(node),
    replacedAt: -1,
    active: undefined,
    next: 0,
  };
}

function replacedBy({ type, name, args, update, extract }: Node): Node | undefined {
  if (type === "Reduce" || (type === "Foreach" && extract)) return update;
  return type === "Call" && name === "until" ? args?.[1] : undefined;
}

/** Counts a call of the evaluator; true when it may run unrecorded. */
export function isPlain({ turn }: Budget, { type }: Node, input: unknown): boolean {
  if (!turn) return true;
  turn.steps += type === "Call" && typeof input === "string" ? 8 + (input.length >> 5) : 1;
  return turn.steps < turn.nextLook && !turn.frame;
}

/** Runs a recorded call of the evaluator, at which a turn may end. `ended` creates the exception of its end. */
export function evaluated(
  budget: Budget,
  node: Node,
  run: () => Values,
  ended: () => Error,
): Values {
  const { turn } = budget;
  if (!turn) return run();
  if (turn.steps >= turn.nextLook && turn.replayed === undefined) {
    turn.nextLook = turn.steps + STEPS_PER_LOOK;
    if (isOver(turn)) turn.end ??= ended();
  }
  if (turn.end) throw turn.end;
  return turn.frame ? recorded(budget, turn, turn.frame, node, run) : run();
}

function isOver({ started, steps, maxMs, maxSteps }: Turn): boolean {
  const elapsed = performance.now() - started;
  return elapsed >= maxMs || (elapsed === 0 && steps >= maxSteps);
}

function recorded(
  budget: Budget,
  turn: Turn,
  parent: Frame,
  node: Node,
  run: () => Values,
): Values {
  const known = parent.results[parent.next++];
  if (known) {
    turn.replayed = (turn.replayed ?? 0) + 1;
    if (known instanceof Failure) throw known.error;
    return known;
  }
  if (!parent.active && turn.replayed !== undefined) goOn(budget, turn, turn.replayed);
  const frame = (parent.active ??= createFrame(node));
  frame.next = 0;
  turn.frame = frame;
  let result: Values | Failure;
  try {
    result = run();
  } catch (error) {
    result = new Failure(error);
  } finally {
    turn.frame = parent;
  }
  // Any result may stem from an interrupted call below it.
  if (turn.end) throw turn.end;
  parent.active = undefined;
  if (node === parent.replaced) {
    if (parent.replacedAt >= 0) parent.results[parent.replacedAt] = replacedResult;
    parent.replacedAt = parent.results.length;
  }
  parent.results.push(result);
  if (result instanceof Failure) throw result.error;
  return result;
}

/**
 * Ends the replay, after which calls are new. A longer record makes a longer turn, or the evaluation would never end.
 */
function goOn(budget: Budget, turn: Turn, replayed: number): void {
  const now = performance.now();
  turn.maxMs = Math.max(TURN_MS, now - turn.started);
  turn.maxSteps = Math.max(TURN_STEPS, replayed / REPLAYED_PER_STEP);
  turn.started = now;
  turn.steps = 0;
  turn.nextLook = STEPS_PER_LOOK;
  turn.replayed = undefined;
  budget.operations = Math.max(budget.operations, turn.operations);
}

/** Evaluates one input, with pauses. */
export async function inTurns(budget: Budget, evaluate: () => Values): Promise<Values> {
  const { fs, operations: before } = budget;
  if (!fs?.pace) return evaluate();
  let turn = (budget.turn ??= createTurn());
  if (performance.now() - turn.started > TURN_MS / 3 || turn.steps > TURN_STEPS / 3) {
    await pauseNow(fs, turn.steps);
    turn = budget.turn = createTurn();
  }
  let root: Frame | undefined;
  for (;;) {
    try {
      const result = evaluate();
      if (!turn.end) return result;
    } catch (error) {
      if (!turn.end) throw error;
    } finally {
      turn.frame = undefined;
    }
    await pauseNow(fs, turn.steps);
    const operations = root ? budget.operations : before;
    root ??= createFrame();
    root.next = 0;
    turn = budget.turn = { ...createTurn(), frame: root, replayed: 0, operations };
    budget.operations = before;
    budget.callDepth = 0;
  }
}

/** Limits of an expensive step. */
export interface Bounds {
  /** Throws after too many steps. */
  readonly visit: () => void;
  /** Creates the exception that ends a turn. */
  readonly ended: () => Error;
}

const part: Node = { type: "Part" };
const COMPARISONS_PER_STEP = 64;

/** Runs a part of an expensive comparison, after which a turn may end as after a call. */
export function inPart<Kind>(
  budget: Budget,
  { visit, ended }: Bounds,
  comparisons: number,
  run: () => Kind,
): Kind {
  const { turn } = budget;
  const counted = (): Kind => {
    budget.operations += Math.floor(comparisons / COMPARISONS_PER_STEP);
    visit();
    return run();
  };
  if (!turn) return counted();
  turn.steps += 1 + Math.floor(comparisons / COMPARISONS_PER_STEP);
  if (turn.steps < turn.nextLook && !turn.frame) return counted();
  const [result] = evaluated(budget, part, () => [counted()], ended);
  return result as Kind;
}

/** The remaining items of a loop with one call each: `output` receives the recorded results of the others at once. */
export function remaining<Item>(
  { turn }: Budget,
  items: readonly Item[],
  output: unknown[],
): readonly Item[] {
  const frame = turn?.frame;
  if (!frame) return items;
  const first = frame.next;
  for (let known = frame.results[first]; known; known = frame.results[++frame.next]) {
    if (known instanceof Failure) break;
    for (const value of known) output.push(value);
  }
  return frame.next === first ? items : items.slice(frame.next - first);
}

/** The remaining items of a loop whose state is the result of its last call. */
export function unreduced<Item>({ turn }: Budget, items: readonly Item[]): readonly Item[] {
  const frame = turn?.frame;
  if (!frame) return items;
  const done = Math.max(0, frame.results.length - 1 - frame.next);
  frame.next += done;
  return done === 0 ? items : items.slice(done);
}

/**
 * Resumes the state of a loop with a fixed number of calls per iteration, the last of which returns the next state:
 * after the recorded iterations. `output`, if given, receives the states before each of them.
 */
export function resumed(
  { turn }: Budget,
  state: unknown,
  calls: number,
  output?: unknown[],
): unknown {
  const frame = turn?.frame;
  if (!frame) return state;
  for (let last = frame.next + calls - 1; last < frame.results.length; last += calls) {
    const known = frame.results[last];
    if (!known || known instanceof Failure || known.length === 0) break;
    output?.push(state);
    [state] = known;
    frame.next = last + 1;
  }
  return state;
}

const ends = new WeakSet<object>();

/** Yields to the event loop. */
export async function pauseNow(fs: Files, steps = 1): Promise<void> {
  try {
    await fs.pace?.(steps);
  } catch (error) {
    if (error instanceof Error) ends.add(error);
    throw error;
  }
}

/** Reports whether the program was ended from outside, as opposed to an error of its filter. */
export function isEnd(error: unknown): boolean {
  return error instanceof Error && ends.has(error);
}

/** Parses a text with one value, or one per line; `undefined` for others, and for invalid text. */
export function plainValues(text: string, most: number): unknown[] | undefined {
  const end = text.indexOf("\n");
  const first = end === -1 ? text : text.slice(0, end);
  try {
    // A line that does not parse alone may begin a value of several lines.
    if (end === -1 || !isValue(first)) return [JSON.parse(text)];
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.length > most ? undefined : lines.map((line): unknown => JSON.parse(line));
  } catch {
    return undefined;
  }
}

function isValue(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
