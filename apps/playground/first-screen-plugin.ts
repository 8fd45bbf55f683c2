import { join } from "node:path";
import { type InlineConfig, type Plugin, runnerImport } from "vite";

/** Globals of a browser that drawing the page expects. */
const browser = {
  location: { search: "", hash: "", pathname: "/" },
  navigator: {},
  addEventListener: () => undefined,
  BroadcastChannel: class {},
};

/** The page's style sheet is there already. */
const withoutStyles: Plugin = {
  name: "without-styles",
  enforce: "pre",
  resolveId: (id) => (id.endsWith(".css") ? "\0without-styles" : undefined),
  load: (id) => (id === "\0without-styles" ? "" : undefined),
};

interface Screen {
  drawFirstScreen: () => string;
}

/**
 * Loads the first screen with all that it is made of, from sources: by itself Vite would let Node load the packages of the
 * workspace, as they were built, if they were.
 */
export function loadScreen(
  root: string,
  resolve: InlineConfig["resolve"],
): Promise<{ module: Screen; dependencies: string[] }> {
  return runnerImport<Screen>(join(root, "src/first-screen.tsx"), {
    root,
    configFile: false,
    logLevel: "error",
    plugins: [withoutStyles],
    environments: { inline: { resolve: { ...resolve, noExternal: [/^@robota\//] } } },
  });
}

/** Puts the first screen into the page's HTML, so that it is drawn before any script is there. */
export function firstScreen(root: string, resolve: InlineConfig["resolve"]): Plugin {
  return {
    name: "first-screen",
    apply: "build",
    async transformIndexHtml(html) {
      const screen = await inBrowser(async () =>
        (await loadScreen(root, resolve)).module.drawFirstScreen(),
      );
      return html.replace('<div id="root">', () => `<div id="root" data-first-screen>${screen}`);
    },
  };
}

/** Does work that expects a browser's globals. */
export async function inBrowser<T>(work: () => Promise<T>): Promise<T> {
  const former = Object.keys(browser).map(
    (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
  );
  for (const [name, value] of Object.entries(browser))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    return await work();
  } finally {
    for (const [name, descriptor] of former)
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
  }
}
