package io.outrigger.identity.certificate;

import io.outrigger.base.PlainText;

/** A file cannot be used; the message names its field, its path, the reason and the remedy. */
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

  /** One that its writer may not have come to yet: it is not there, or fits nothing that is. */
  static UnusableFile unfinished(String field, String path, String reason) {
    return new UnusableFile(field, path, reason, true);
  }

  /** Whether waiting for whoever writes it may help. */
  boolean mayBeUnfinished() {
    return mayBeUnfinished;
  }

  /** For people, in one line; nothing of the file's content is in it. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
