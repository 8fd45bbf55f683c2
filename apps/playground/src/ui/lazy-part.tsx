import { type ComponentType, type NamedExoticComponent, use } from "react";

type PartOf<Props> = ComponentType<Props> | NamedExoticComponent<Props>;

/** A component whose code loads when it is first rendered, or earlier with `preload`. */
export type LazyPart<Props> = ((props: Props) => React.ReactNode) & {
  preload: () => Promise<unknown>;
};

/** The code of a part of the page could not be loaded. */
export class PartLoadError extends Error {}

/**
 * Makes a component that loads on demand. Unlike React's `lazy` it forgets failures, so that a boundary's "Try again" loads it
 * again. It suspends until it is there, and throws a `PartLoadError` when it can't be had.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<PartOf<Props>>,
): LazyPart<Props> {
  let loaded: PartOf<Props> | undefined;
  let loading: Promise<PartOf<Props>> | undefined;
  let failure: PartLoadError | undefined;
  const forget = (): void => void (failure = undefined);

  function start(): Promise<PartOf<Props>> {
    loading ??= load().then(
      (part) => (loaded = part),
      (cause: unknown) => {
        loading = undefined;
        throw (failure = new PartLoadError("Part couldn't be loaded", { cause }));
      },
    );
    return loading;
  }

  function Part(props: Props) {
    if (failure) {
      // React draws again what has failed before a boundary shows it; whoever draws it later loads anew.
      setTimeout(forget);
      throw failure;
    }
    const Loaded = loaded ?? use(start());
    return <Loaded {...props} />;
  }
  // A failed preload is for nobody to see.
  return Object.assign(Part, { preload: () => start().finally(forget) });
}
