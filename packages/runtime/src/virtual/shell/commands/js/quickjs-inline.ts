/** QuickJS with its WebAssembly, from a file of this project: a development server finds what is behind its own name in time. */
export { default } from "@jitl/quickjs-singlefile-browser-release-sync";
