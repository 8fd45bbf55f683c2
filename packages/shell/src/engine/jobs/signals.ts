/** A signal, or the end of a shell (`EXIT`), which has the number 0. */
export interface Signal {
  readonly number: number;
  readonly name: string;
}

/** Reports of processes that a signal has ended, by the names of the signals. */
const ENDS: Readonly<Record<string, string>> = {
  HUP: "Hangup",
  INT: "Interrupt",
  QUIT: "Quit",
  ILL: "Illegal instruction",
  TRAP: "Trace/breakpoint trap",
  ABRT: "Aborted",
  BUS: "Bus error",
  FPE: "Floating point exception",
  KILL: "Killed",
  USR1: "User defined signal 1",
  SEGV: "Segmentation fault",
  USR2: "User defined signal 2",
  PIPE: "Broken pipe",
  ALRM: "Alarm clock",
  TERM: "Terminated",
};
const NAMES =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS".split(
    " ",
  );
/** Signals that end no process. Nothing stops and goes on here. */
const HARMLESS: ReadonlySet<string> = new Set("CHLD CONT STOP TSTP TTIN TTOU URG WINCH".split(" "));
/** Numbers of the first and the last signal for programs in real time. */
const [RTMIN, RTMAX] = [34, 64];
const COLUMNS = 5;

/** All signals and events for traps, as `compgen` lists them. */
export function allSignalNames(): string[] {
  return ["EXIT", ...NAMES.map((name) => `SIG${name}`), "DEBUG", "ERR", "RETURN"];
}

/** A signal by its name, with or without `SIG`, or by its number; `undefined` for any other text. */
export function signalNumber(text: string): Signal | undefined {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    const name = nameOf(number);
    return name === undefined ? undefined : { number, name };
  }
  const name = text.toUpperCase().replace(/^SIG/, "");
  if (name === "EXIT") return { number: 0, name };
  const number = NAMES.indexOf(name) + 1 || realTimeNumber(name);
  return number === 0 ? undefined : { number, name };
}

function nameOf(number: number): string | undefined {
  if (number === 0) return "EXIT";
  if (number >= RTMIN && number <= RTMAX) return realTimeName(number);
  return NAMES[number - 1];
}

function realTimeName(number: number): string {
  const [above, below] = [number - RTMIN, RTMAX - number];
  if (above <= below) return above === 0 ? "RTMIN" : `RTMIN+${above}`;
  return below === 0 ? "RTMAX" : `RTMAX-${below}`;
}

function realTimeNumber(name: string): number {
  for (let number = RTMIN; number <= RTMAX; number++)
    if (realTimeName(number) === name) return number;
  return 0;
}

export function endsProcess({ number, name }: Signal): boolean {
  return number > 0 && !HARMLESS.has(name);
}

/** Report of a process that a signal has ended. */
export function endBy({ number, name }: Signal): string {
  return ENDS[name] ?? `Signal ${number}`;
}

/** All signals, as `kill -l` and `trap -l` list them. */
export function signalTable(): string {
  const numbers = Array.from({ length: RTMAX }, (_, index) => index + 1);
  const cells = numbers.flatMap((number) => {
    const name = nameOf(number);
    return name === undefined ? [] : `${String(number).padStart(2)}) SIG${name}`;
  });
  let table = "";
  for (let at = 0; at < cells.length; at += COLUMNS)
    table += `${cells.slice(at, at + COLUMNS).join("\t")}${at + COLUMNS > cells.length ? "\t" : ""}\n`;
  return table;
}
