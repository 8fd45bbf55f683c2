const SIGNALS =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS".split(
    " ",
  );

/** A signal by its name, with or without `SIG`, or by its number; `undefined` for any other text. */
export function signalNumber(text: string): { number: number; name: string } | undefined {
  if (/^\d+$/.test(text)) {
    const number = Number(text);
    if (number === 0) return { number, name: "EXIT" };
    const name = SIGNALS[number - 1];
    return name === undefined ? undefined : { number, name };
  }
  const name = text.toUpperCase().replace(/^SIG/, "");
  const number = SIGNALS.indexOf(name) + 1;
  return number === 0 ? undefined : { number, name };
}
