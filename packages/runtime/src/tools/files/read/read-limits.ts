/** Default number of lines of Read. */
export const DEFAULT_LINES = 2000;
/** The image size that models accept, before Base64 adds a third. */
export const MAX_IMAGE_BYTES = 3_750_000;
/** A document goes to the model again with each request, and all of a request may have about 30 MB. */
export const MAX_DOCUMENT_BYTES = 10_000_000;
