package io.outrigger.xds.certificate;

/** A file cannot be used; the message names its field, its path, the reason and the remedy. */
public final class UnusableFile extends Exception {
  private static final long serialVersionUID = 1L;

  UnusableFile(String field, String path, String reason) {
    super(field + " " + path + " " + reason);
  }

  /** For people, in one line; nothing of the file's content is in it. */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
