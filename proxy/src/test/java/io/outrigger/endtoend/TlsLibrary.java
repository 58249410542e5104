package io.outrigger.endtoend;

import io.outrigger.testing.SharedProperty;

/** The library that speaks TLS to backends: BoringSSL, or the JDK where a test asks for it. */
enum TlsLibrary {
  BORING_SSL("boringssl"),
  JDK("jdk");

  private static final SharedProperty CHOICE = new SharedProperty("outrigger.tls.library");

  private final String text;

  TlsLibrary(String text) {
    this.text = text;
  }

  /** From now on, for contexts that are made. */
  void use() throws InterruptedException {
    CHOICE.hold(text);
  }

  void leave() {
    CHOICE.release();
  }
}
