package io.outrigger.identity.certificate;

public enum PeerRole {
  SERVER("server", "1.3.6.1.5.5.7.3.1"),
  CLIENT("client", "1.3.6.1.5.5.7.3.2");

  private final String word;
  private final String usage;

  PeerRole(String word, String usage) {
    this.word = word;
    this.usage = usage;
  }

  public String word() {
    return word;
  }

  /** The extended key usage (RFC 5280 section 4.2.1.12) that certificates of this role need. */
  String usage() {
    return usage;
  }
}
