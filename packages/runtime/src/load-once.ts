/**
 * A part of the program that is loaded when it is first needed, and then at hand: even for a module that is there, asking the
 * host takes tens of microseconds. After a failure the next call tries again.
 */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
