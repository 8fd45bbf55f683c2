/** A skill at an address: a `SKILL.md`, or a zip or tar.gz of its folder. */
export interface SkillReference {
  /** An http or https address of the public internet. */
  readonly url: string;
  /** SHA-256 of the file there, as 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}
