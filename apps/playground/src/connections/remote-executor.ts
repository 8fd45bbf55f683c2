// A module of its own, because a bundler keeps the whole of an entry that is imported on demand, for the page too.
export { SimpleRemoteExecutor } from "@robota/runtime";
