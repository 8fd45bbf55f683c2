import { renderToStaticMarkup } from "react-dom/server";
import { App } from "./app.tsx";
import { PageState } from "./state/page-state.ts";

/** The page as a first visit shows it, for the build: it is drawn while the page's own code is on its way. */
export function drawFirstScreen(): string {
  const page = new PageState(() => new Promise(() => undefined));
  // The policy forbids styles in the markup. The only one is a width, whose default is in the style sheets.
  return renderToStaticMarkup(<App page={page} />).replaceAll(/ style="[^"]*"/g, "");
}
