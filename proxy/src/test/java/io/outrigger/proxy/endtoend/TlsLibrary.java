package io.outrigger.proxy.endtoend;

/** What speaks TLS to backends: the JDK, or BoringSSL where that is asked for. */
enum TlsLibrary {
  BORING_SSL,
  JDK;

  private static final String PROPERTY = "outrigger.tls.library";

  /** From now on, for contexts that are made. */
  void use() {
    if (this == BORING_SSL) {
      System.setProperty(PROPERTY, "boringssl");
    }
  }

  void leave() {
    System.clearProperty(PROPERTY);
  }
}
