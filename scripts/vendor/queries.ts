/**
 * jq in turns, as `scripts/vendor.ts` builds it into just-bash.
 *
 * The evaluator calls itself and can't wait in its midst. When its turn is over it is thrown out of what it does, others
 * have their turn, and it begins again with a record: calls that were done answer from there, those that were under way
 * go on where they were. That is right because a filter has no effects, and quick because only what was under way runs
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
  /** Rejects when the program has to end. */
  pace?(steps: number): Promise<void> | undefined;
}

/** What all evaluations of one program share. */
export interface Budget {
  operations: number;
  callDepth: number;
  // All below is added here.
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

/** How far one call of the evaluator has come. */
interface Frame {
  /** What the calls that it made came to, in their order. */
  readonly results: (Values | Failure)[];
  /** Of whose results only the last is needed, as a new state takes the place of the old one. */
  readonly replaced: Node | undefined;
  /** Where the last of these is. */
  replacedAt: number;
  /** The call that it waits for. */
  active: Frame | undefined;
  /** How many calls it has made since it began or began again. */
  next: number;
}

interface Turn {
  /** The call that runs now; missing as long as nothing is recorded. */
  frame: Frame | undefined;
  /** Counted as steps of the shell are; a call that may look through a text counts more. */
  steps: number;
  nextLook: number;
  started: number;
  mostMs: number;
  mostSteps: number;
  /** How many results were taken from the record; missing once that is used up. */
  replayed: number | undefined;
  /** What `operations` was when the last turn ended. */
  operations: number;
  /** What is thrown through the evaluation, once its turn is over. */
  end: Error | undefined;
}

const STEPS_PER_LOOK = 64;
const TURN_MS = 40;
/** For hosts whose clock stands still while code runs. */
const TURN_STEPS = 4_000;
/** With a still clock: how many results are taken from a record in the time of a step. */
const REPLAYED_PER_STEP = 8;
/** Replaced results, as they are found in a record. */
const replacedResult: Values = [null];

function createTurn(): Turn {
  return {
    frame: undefined,
    steps: 0,
    nextLook: STEPS_PER_LOOK,
    started: performance.now(),
    mostMs: TURN_MS,
    mostSteps: TURN_STEPS,
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

/** Counts a call of the evaluator; true when it may run as it is. */
export function isPlain({ turn }: Budget, { type }: Node, input: unknown): boolean {
  if (!turn) return true;
  turn.steps += type === "Call" && typeof input === "string" ? 8 + (input.length >> 5) : 1;
  return turn.steps < turn.nextLook && !turn.frame;
}

/** Runs a call of the evaluator that is recorded, or at which a turn may end. `ended` makes what ends it. */
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

function isOver({ started, steps, mostMs, mostSteps }: Turn): boolean {
  const elapsed = performance.now() - started;
  return elapsed >= mostMs || (elapsed === 0 && steps >= mostSteps);
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
  // Whatever it came to, it may be because a call below it was thrown out.
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

/** The record is used up: from here on it is new. A long record makes a long turn, or there would be no end to it. */
function goOn(budget: Budget, turn: Turn, replayed: number): void {
  const now = performance.now();
  turn.mostMs = Math.max(TURN_MS, now - turn.started);
  turn.mostSteps = Math.max(TURN_STEPS, replayed / REPLAYED_PER_STEP);
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

/** What bounds a step that does much. */
export interface Bounds {
  /** Throws when there were too many steps. */
  readonly visit: () => void;
  /** Makes what ends a turn. */
  readonly ended: () => Error;
}

const part: Node = { type: "Part" };
const COMPARISONS_PER_STEP = 64;

/** Runs a part of a step that compares much, after which a turn may end as it does after a call. */
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

/**
 * The items of a loop that are still to be done, where each takes one call: `output` gets the results of the others at once
 * from the record.
 */
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

/** The same for a loop whose state is the result of its last call. */
export function unreduced<Item>({ turn }: Budget, items: readonly Item[]): readonly Item[] {
  const frame = turn?.frame;
  if (!frame) return items;
  const done = Math.max(0, frame.results.length - 1 - frame.next);
  frame.next += done;
  return done === 0 ? items : items.slice(done);
}

/**
 * The state of a loop that makes so many calls in each round, the last of which gives its next state: after the rounds that
 * are in the record. `output`, if there is one, gets the states before each of them.
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

/** Lets others have a turn. */
export async function pauseNow(fs: Files, steps = 1): Promise<void> {
  try {
    await fs.pace?.(steps);
  } catch (error) {
    if (error instanceof Error) ends.add(error);
    throw error;
  }
}

/** Whether the program was ended, which is no fault of its filter. */
export function isEnd(error: unknown): boolean {
  return error instanceof Error && ends.has(error);
}

/** The values of a text that holds one, or one in each line; `undefined` for others, and for what has a mistake in it. */
export function plainValues(text: string, most: number): unknown[] | undefined {
  const end = text.indexOf("\n");
  const first = end === -1 ? text : text.slice(0, end);
  try {
    // A line that is no value of its own begins a value of several lines, if it is one.
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
