package io.outrigger.abuse;

/** Where callers reach the program that is attacked. */
enum Entrance {
  /** Ports of {@code --forward}, for apps beside the program. */
  FORWARD("forward"),

  /** The same, configured by a control plane instead of files. */
  CONTROLLED("forward"),

  /** Ports of {@code --serve} without TLS, for strangers. */
  SERVE("serve"),

  /** Ports of {@code --serve} that require client certificates. */
  SERVE_TLS("serve");

  private final String parameter;

  Entrance(String parameter) {
    this.parameter = parameter;
  }

  /** Returns the parameter of {@code /explain} for a port of this kind. */
  String parameter() {
    return parameter;
  }
}
