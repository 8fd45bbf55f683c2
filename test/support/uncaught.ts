/** Keeps errors that are meant to surface as uncaught from failing the test run. */
export function catchUncaught(): { stop(): void } {
  const listener = (event: Event): void => event.preventDefault();
  const node = (
    globalThis as {
      process?: { on?(name: string, f: () => void): void; off?(name: string, f: () => void): void };
    }
  ).process;
  const ignore = (): void => {};
  if (node?.on) node.on("uncaughtException", ignore);
  else globalThis.addEventListener("error", listener);
  return {
    stop() {
      setTimeout(() => {
        if (node?.off) node.off("uncaughtException", ignore);
        else globalThis.removeEventListener("error", listener);
      }, 0);
    },
  };
}
