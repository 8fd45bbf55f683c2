const ALL = 0o777;
const STICKY = 0o1000;
const SHIFTS: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 };
const BITS: Readonly<Record<string, number>> = { r: 4, w: 2, x: 1 };

/** Changes the mode of a file or a directory. */
export type ModeChange = (mode: number, isDirectory: boolean) => number;

/**
 * Parses an octal mode, or symbolic ones: `u+x,go=r`, `a=rX`, `g=u`.
 * @param umask The rights that a change for nobody in particular leaves alone
 * @throws {Error} for an invalid mode
 */
export function parseMode(text: string, umask: number): ModeChange {
  if (/^[0-7]{1,5}$/.test(text)) {
    const mode = Number.parseInt(text, 8);
    if (mode <= 0o7777) return () => mode;
  }
  const changes = text.split(",").flatMap((clause) => clauseOf(clause, { text, umask }));
  return (mode, isDirectory) => changes.reduce((now, change) => change(now, isDirectory), mode);
}

function clauseOf(clause: string, { text, umask }: { text: string; umask: number }): ModeChange[] {
  const [, who = "", actions = ""] =
    /^([ugoa]*)((?:[-+=](?:[ugo]|[rwxXst]*|[0-7]+))+)$/.exec(clause) ?? [];
  if (actions === "") throw new Error(`invalid mode: '${text}'`);
  const classes = who === "" || who.includes("a") ? "ugo" : who;
  const masked = who === "" ? umask : 0;
  return [...actions.matchAll(/([-+=])([ugo]|[0-7]+|[rwxXst]*)/g)].map(
    ([, operator = "+", rights = ""]): ModeChange =>
      (mode, isDirectory) => {
        if (/^[0-7]+$/.test(rights))
          return applied(mode, operator, Number.parseInt(rights, 8), ALL);
        const right = rightOf(rights, mode, isDirectory);
        let [bits, scope] = [0, 0];
        for (const name of classes) {
          bits |= right << (SHIFTS[name] ?? 0);
          scope |= 7 << (SHIFTS[name] ?? 0);
        }
        const sticky = rights.includes("t") ? STICKY : 0;
        return applied(mode, operator, (bits & ~masked) | sticky, scope);
      },
  );
}

/** The rights of one class, as three bits. */
function rightOf(rights: string, mode: number, isDirectory: boolean): number {
  const copied = SHIFTS[rights];
  if (copied !== undefined) return (mode >> copied) & 7;
  const executes = rights.includes("X") && (isDirectory || (mode & 0o111) !== 0);
  return Array.from(rights).reduce((sum, letter) => sum | (BITS[letter] ?? 0), executes ? 1 : 0);
}

function applied(mode: number, operator: string, bits: number, scope: number): number {
  if (operator === "+") return mode | bits;
  return operator === "-" ? mode & ~bits : (mode & ~scope) | bits;
}
