/** The bits of a mode that a file system keeps: permissions and the sticky bit, not those that lend a program its owner's rights. */
export const MODE_BITS = 0o1777;
