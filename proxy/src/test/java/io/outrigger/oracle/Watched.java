package io.outrigger.oracle;

/** What one watcher was told last, in terms of what callers see. */
final class Watched {
  static final String NOTED = ", noted";

  private String seen = "waits";
  private boolean noted;

  void uses(String content) {
    seen = "uses " + content;
    noted = false;
  }

  /** An error beside what is used, which every failure of a pick mentions; or its end. */
  void noted(boolean error) {
    noted = error;
  }

  void fails() {
    seen = "fails";
    noted = false;
  }

  @Override
  public String toString() {
    return noted ? seen + NOTED : seen;
  }
}
