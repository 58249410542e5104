package io.outrigger.endtoend;

/** What speaks TLS to backends: BoringSSL, or the JDK where that is asked for. */
enum TlsLibrary {
  BORING_SSL,
  JDK;

  private static final String PROPERTY = "outrigger.tls.library";

  /** From now on, for contexts that are made. */
  void use() {
    if (this == JDK) {
      System.setProperty(PROPERTY, "jdk");
    }
  }

  void leave() {
    System.clearProperty(PROPERTY);
  }
}
