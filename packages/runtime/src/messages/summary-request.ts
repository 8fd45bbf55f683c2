/** The first sentence of the message that asks a model for a summary, by which a scripted one recognises it. */
export const SUMMARY_REQUEST =
  "Summarise this conversation for yourself, so that you can go on with it from the summary alone.";
