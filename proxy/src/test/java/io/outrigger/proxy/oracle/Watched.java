package io.outrigger.proxy.oracle;

/** What one watcher was told last, in terms of what callers see. */
final class Watched {
  private String seen = "waits";

  void uses(String content) {
    seen = "uses " + content;
  }

  void fails() {
    seen = "fails";
  }

  @Override
  public String toString() {
    return seen;
  }
}
