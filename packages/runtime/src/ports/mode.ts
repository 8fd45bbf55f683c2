/** The mode bits that a file system keeps: permissions and the sticky bit, not setuid and setgid. */
export const MODE_BITS = 0o1777;
