/**
 * Loads a part of the program at its first use and caches it: `import()` takes tens of microseconds even for a loaded
 * module. After a failure, the next call tries again.
 */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}
