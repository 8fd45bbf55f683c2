import { javascriptLanguage } from "@codemirror/lang-javascript";
import { encodeText } from "@robota/runtime/ports";
import { dataAddress, type WebFiles } from "./web-files.ts";

/** The scheme of a preview's modules: an import map leads from it to their code, as a `data:` address has no neighbours. */
const SCHEME = "workspace:";

/** The modules of a page. Those that import each other come along with the first of them. */
export class Modules {
  /** An import map's `imports`: addresses of code by those of modules. */
  readonly imports: Record<string, string> = {};
  readonly #files: WebFiles;
  readonly #taken = new Set<string>();

  constructor(files: WebFiles) {
    this.#files = files;
  }

  /** The address by which a module can be imported. */
  async address(reference: string, from: string): Promise<string | undefined> {
    const path = await this.#files.locate(reference, from);
    if (path === undefined) return undefined;
    const address = SCHEME + path;
    if (!this.#taken.has(path)) {
      this.#taken.add(path);
      const text = await this.rewrite(await this.#files.textOf(path), path);
      this.imports[address] = dataAddress(encodeText(text), "text/javascript");
    }
    return address;
  }

  /** A module's code with relative imports by address. Bare ones are the page's own import map's. */
  async rewrite(code: string, from: string): Promise<string> {
    let result = "";
    let end = 0;
    for (const { at, to, reference } of importsOf(code)) {
      const address = await this.address(reference, from);
      if (address === undefined) continue;
      result += code.slice(end, at) + JSON.stringify(address);
      end = to;
    }
    return result + code.slice(end);
  }
}

/** The strings of imports and exports, also of `import()`, that begin with `/`, `./` or `../`. */
function importsOf(code: string): { at: number; to: number; reference: string }[] {
  const found: { at: number; to: number; reference: string }[] = [];
  javascriptLanguage.parser.parse(code).iterate({
    enter(node) {
      if (node.name !== "String") return;
      const parent = node.node.parent;
      const isDynamic =
        parent?.name === "ArgList" &&
        parent.prevSibling?.name === "import" &&
        parent.firstChild?.nextSibling?.from === node.from;
      const isImport =
        isDynamic ||
        parent?.name === "DynamicImport" ||
        parent?.name === "ImportDeclaration" ||
        parent?.name === "ExportDeclaration";
      const reference = code.slice(node.from + 1, node.to - 1);
      if (isImport && /^\.{0,2}\//.test(reference))
        found.push({ at: node.from, to: node.to, reference });
    },
  });
  return found;
}
