import type { FileSystem } from "@robota/runtime";
import { encodeText } from "@robota/runtime/ports";
import { Modules } from "./modules.ts";
import { replaceInSrcset } from "./references.ts";
import { trusted } from "./trusted.ts";
import { dataAddress, WebFiles } from "./web-files.ts";

/** A page of the workspace as one text that needs no other file. */
export interface BuiltPage {
  html: string;
  title: string;
  /** References to what it does without: other hosts, missing files. */
  missing: readonly string[];
}

/** Attributes that load a file, by the elements that have them. */
const loading: readonly (readonly [selector: string, attribute: string])[] = [
  ["img[src], audio[src], video[src], source[src], track[src], input[src]", "src"],
  ["video[poster]", "poster"],
  ["link[rel~=stylesheet][href], link[rel~=icon][href]", "href"],
  ["image[href], use[href]", "href"],
];

/** Frames could undo the preview's guards; a policy of the page's own would refuse what is embedded. */
const LEFT_OUT =
  "base, iframe, frame, object, embed, meta[http-equiv='refresh' i], meta[http-equiv^='content-security-policy' i]";

/** Puts all files of the workspace that a page refers to into its text. */
export async function buildPage(
  fs: FileSystem,
  path: string,
  text: string,
  root: string,
): Promise<BuiltPage> {
  const files = new WebFiles(fs, root);
  const page = new DOMParser().parseFromString(trusted.createHTML(text), "text/html");
  const embed = (reference: string) => files.embed(reference, path);
  leaveOut(page);

  for (const [selector, attribute] of loading) {
    for (const element of page.querySelectorAll(selector)) {
      const address = await embed(element.getAttribute(attribute) ?? "");
      if (address !== undefined) element.setAttribute(attribute, address);
    }
  }
  for (const element of page.querySelectorAll("[srcset]"))
    element.setAttribute(
      "srcset",
      await replaceInSrcset(element.getAttribute("srcset") ?? "", embed),
    );
  for (const element of page.querySelectorAll("style"))
    element.textContent = await files.embedInCss(element.textContent, path);
  for (const element of page.querySelectorAll("[style]"))
    element.setAttribute(
      "style",
      await files.embedInCss(element.getAttribute("style") ?? "", path),
    );
  await embedScripts(page, files, path);

  return {
    html: page.documentElement.outerHTML,
    title: page.title,
    missing: files.missing,
  };
}

function leaveOut(part: ParentNode): void {
  for (const element of part.querySelectorAll(LEFT_OUT)) element.remove();
  for (const { content } of part.querySelectorAll("template")) leaveOut(content);
}

async function embedScripts(page: Document, files: WebFiles, path: string): Promise<void> {
  const modules = new Modules(files);
  const map = page.querySelector<HTMLScriptElement>("script[type=importmap]");
  for (const script of page.querySelectorAll("script")) {
    const source = script.getAttribute("src");
    if (script.type === "module") {
      const code = source === null ? script.text : `import ${JSON.stringify(relative(source))};`;
      script.src = scriptAddress(await modules.rewrite(code, path));
    } else if (source !== null) {
      const address = await files.embed(source, path);
      if (address !== undefined) script.src = trusted.createScriptURL(address);
    }
  }
  const own = map ? await ownImports(map.text, modules, path) : {};
  map?.remove();
  const made = page.createElement("script");
  made.type = "importmap";
  const content = JSON.stringify({ imports: { ...own, ...modules.imports } });
  made.text = trusted.createScript(content.replaceAll("<", "\\u003c"));
  page.head.prepend(made);
}

function scriptAddress(code: string): string {
  return trusted.createScriptURL(dataAddress(encodeText(code), "text/javascript"));
}

/** A script's `src` needs no `./`, an import does. */
function relative(source: string): string {
  return /^(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(source) ? source : `./${source}`;
}

/** The page's import map, with the addresses of its files. */
async function ownImports(
  text: string,
  modules: Modules,
  path: string,
): Promise<Record<string, string>> {
  const imports: Record<string, string> = {};
  for (const [name, reference] of Object.entries(importsIn(text))) {
    if (typeof reference !== "string") continue;
    const address = await modules.address(reference, path);
    // Import maps are looked up once: an address of one leads nowhere from within it.
    imports[name] = address === undefined ? reference : (modules.imports[address] ?? reference);
  }
  return imports;
}

function importsIn(text: string): object {
  try {
    const map: unknown = JSON.parse(text);
    const imports: unknown =
      typeof map === "object" && map !== null && "imports" in map ? map.imports : undefined;
    return typeof imports === "object" && imports !== null ? imports : {};
  } catch {
    return {};
  }
}
