package io.outrigger.abuse;

/** Where callers reach the program that is attacked. */
enum Entrance {
  /** Ports of {@code --forward}, for apps beside the program. */
  FORWARD("forward"),

  /** Ports of {@code --serve} without TLS, for strangers. */
  SERVE("serve"),

  /** Ports of {@code --serve} that require client certificates. */
  SERVE_TLS("serve");

  private final String parameter;

  Entrance(String parameter) {
    this.parameter = parameter;
  }

  /** What {@code /explain} calls such a port. */
  String parameter() {
    return parameter;
  }
}
