import { type ComponentType, type NamedExoticComponent, use } from "react";

type PartOf<Props> = ComponentType<Props> | NamedExoticComponent<Props>;

/** A component whose code loads when it is first rendered, or earlier with `preload`. */
export type LazyPart<Props> = ((props: Props) => React.ReactNode) & {
  preload: () => Promise<unknown>;
};

/** The code of a part of the page could not be loaded. */
export class PartLoadError extends Error {
  override name = "PartLoadError";
}

/**
 * Makes a component that loads on demand. Unlike React's `lazy` it forgets failures, so that a boundary's "Try again" loads it
 * again. It suspends until it is there, and throws a `PartLoadError` when it can't be had.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<PartOf<Props>>,
): LazyPart<Props> {
  let loaded: PartOf<Props> | undefined;
  let loading: Promise<PartOf<Props>> | undefined;

  function start(): Promise<PartOf<Props>> {
    loading ??= load().then(
      (part) => (loaded = part),
      (cause: unknown) => {
        // Those who wait learn of the failure; the next attempt starts anew.
        setTimeout(() => (loading = undefined));
        throw new PartLoadError("A part of the page could not be loaded", { cause });
      },
    );
    return loading;
  }

  function Part(props: Props) {
    const Loaded = loaded ?? use(start());
    return <Loaded {...props} />;
  }
  return Object.assign(Part, { preload: start });
}
