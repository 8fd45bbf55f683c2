/** Outcome of a script. */
export interface Answer {
  readonly stdout: string;
  readonly status: number;
  /** Something was written to standard error; the words are each shell's own. */
  readonly hasErrors: boolean;
  /**
   * The programs that it ran, each with its arguments: for our shell those that its guard was asked about.
   */
  readonly programs: readonly string[];
}

/** The programs that scripts use. */
export const PROGRAMS = [
  "cat",
  "sort",
  "tr",
  "cut",
  "wc",
  "head",
  "tail",
  "seq",
  "sed",
  "grep",
  "uniq",
  "rev",
  "paste",
  "nl",
];
export const ENVIRONMENT = { HOME: "/home/user", LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TZ: "UTC" };
/** How both shells run a script, which is in `SCRIPT__`: bash makes a subshell for each, so that one process runs many. */
export const WRAPPER = 'eval "$SCRIPT__"';

/** In what our answer differs from that of bash; `undefined` for none. */
export function differenceOf(real: Answer, own: Answer): string | undefined {
  if (own.stdout !== real.stdout) return "stdout";
  if (own.status !== real.status) return `status ${real.status}, ours ${own.status}`;
  if (own.hasErrors !== real.hasErrors) return real.hasErrors ? "no stderr" : "stderr";
  const unseen = unseenPrograms(real.programs, own.programs);
  return unseen.length > 0 ? `unseen by the guard: ${unseen.join("; ")}` : undefined;
}

/** The programs that ran, and that no guard was asked about. */
function unseenPrograms(ran: readonly string[], asked: readonly string[]): string[] {
  const left = [...asked];
  return ran.filter((program) => {
    const at = left.indexOf(program);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
