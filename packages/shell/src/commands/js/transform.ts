import { transform } from "#sucrase";

const TYPED = /\.[cm]?tsx?$/;
const JSX = /\.[jt]sx$/;

/**
 * Transforms a file to a script with `require`, `exports` and `module`: removes types, and turns `import` and `export`
 * into calls. Keeps line numbers. Detects modules by their syntax.
 */
export function toScript(code: string, path: string): { code: string; isModule: boolean } {
  const source = code.replace(/^#!.*/, "");
  const isModule = isWrittenAsModule(source, path);
  const isTyped = TYPED.test(path);
  const text = isModule ? source.replace(/\bimport\.meta\b/g, "__importMeta") : source;
  if (!isTyped && !JSX.test(path) && !isModule) return { code: text, isModule };
  const result = transform(text, {
    filePath: path,
    disableESTransforms: true,
    preserveDynamicImport: false,
    transforms: [
      ...(isTyped ? (["typescript"] as const) : []),
      ...(JSX.test(path) ? (["jsx"] as const) : []),
      ...(isModule ? (["imports"] as const) : []),
    ],
    jsxRuntime: "automatic",
    production: true,
  });
  return { code: result.code, isModule };
}

function isWrittenAsModule(code: string, path: string): boolean {
  if (/\.c[jt]s$/.test(path)) return false;
  if (/\.m[jt]s$/.test(path)) return true;
  return (
    /^[ \t]*import\s*(?:["'{*]|[\w$]+\s*(?:,|from\b)|type\b)/m.test(code) ||
    /^[ \t]*export\s+(?:default\b|const\b|let\b|var\b|function\b|class\b|async\b|type\b|interface\b|\{|\*)/m.test(
      code,
    ) ||
    /\bimport\.meta\b/.test(code)
  );
}
