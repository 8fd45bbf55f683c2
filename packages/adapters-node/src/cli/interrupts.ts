const AGAIN_WITHIN_MS = 1000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Interrupts extends Disposable {
  /** The exit code of the received signal, if any. */
  exitCode(): number | undefined;
}

/**
 * The first signal calls `stop`; a second one within a second ends the process at once, as does one that comes while a stopped
 * program is on its way out: the default would end it by the signal, without an exit code.
 */
export function onInterrupt(stop: (signal: keyof typeof EXIT_CODES) => void): Interrupts {
  let exitCode: number | undefined;
  let lastAt = -Infinity;
  let isOver = false;
  const listener = (signal: NodeJS.Signals): void => {
    const code = EXIT_CODES[signal as keyof typeof EXIT_CODES];
    const now = performance.now();
    if (isOver || now - lastAt < AGAIN_WITHIN_MS) process.exit(code);
    lastAt = now;
    exitCode = code;
    stop(signal as keyof typeof EXIT_CODES);
  };
  const signals = Object.keys(EXIT_CODES) as (keyof typeof EXIT_CODES)[];
  for (const signal of signals) process.on(signal, listener);
  return {
    exitCode: () => exitCode,
    [Symbol.dispose]() {
      isOver = true;
      if (exitCode !== undefined) return;
      for (const signal of signals) process.off(signal, listener);
    },
  };
}
