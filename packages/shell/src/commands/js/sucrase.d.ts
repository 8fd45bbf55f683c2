/** The part of sucrase in `vendor/sucrase.js` (see `scripts/vendor/sucrase.ts`), without its types as a dependency. */
export declare function transform(
  code: string,
  options: {
    filePath: string;
    transforms: ("imports" | "jsx" | "typescript")[];
    disableESTransforms: boolean;
    preserveDynamicImport: boolean;
    jsxRuntime: "automatic";
    production: boolean;
  },
): { code: string };
