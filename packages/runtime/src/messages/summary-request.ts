/** The beginning of the message that asks a model for a summary, by which a scripted one recognises it. */
export const SUMMARY_REQUEST = [
  "Summarise this conversation for yourself, so that you can go on with it from the summary alone.",
  "Keep what was asked, what was decided and why, which files were read or changed and how, what failed, and what is still to do.",
  "Answer with the summary only.",
].join(" ");
