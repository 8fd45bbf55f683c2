import { type RefObject, useEffect } from "react";

/** A text that still grows is not coloured. In milliseconds without a change. */
const REST_MS = 200;

/** Colours the code in an element while it is on the screen, or nearly so. Texts of unknown languages stay plain. */
export function useColors(
  code: RefObject<HTMLElement | null>,
  text: string,
  language: string,
): void {
  useEffect(() => {
    const element = code.current;
    if (!element || !language) return undefined;
    let shown: AbortController | undefined;
    let observer: IntersectionObserver | undefined;
    const timer = setTimeout(() => {
      observer = new IntersectionObserver(
        ([entry]) => {
          shown?.abort();
          shown = undefined;
          if (!entry?.isIntersecting) return;
          const { signal } = (shown = new AbortController());
          import("./color-code.ts")
            .then(
              ({ colorCode }) => colorCode(element, language, signal),
              // Without the code for it, the text has no colours.
            )
            .catch(() => undefined);
        },
        { rootMargin: "300px" },
      );
      observer.observe(element);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      observer?.disconnect();
      shown?.abort();
    };
  }, [code, text, language]);
}
