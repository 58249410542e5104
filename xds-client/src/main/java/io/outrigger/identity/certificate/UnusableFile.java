package io.outrigger.identity.certificate;

import io.outrigger.base.PlainText;

/** A file cannot be used; the message names the bootstrap field, path, reason and remedy. */
public final class UnusableFile extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean mayBeUnfinished;

  UnusableFile(String field, String path, String reason) {
    this(field, path, reason, false);
  }

  private UnusableFile(String field, String path, String reason, boolean mayBeUnfinished) {
    super(PlainText.of(field + " " + path) + " " + reason);
    this.mayBeUnfinished = mayBeUnfinished;
  }

  /**
   * Creates an exception for a file that does not exist or does not match another file, perhaps
   * because the file is still being written.
   */
  static UnusableFile unfinished(String field, String path, String reason) {
    return new UnusableFile(field, path, reason, true);
  }

  boolean mayBeUnfinished() {
    return mayBeUnfinished;
  }

  /** Returns the reason for operators, one line; the reason quotes no content of the file. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
