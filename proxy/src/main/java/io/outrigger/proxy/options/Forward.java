package io.outrigger.proxy.options;

/** A local address and the xDS target behind it. */
public record Forward(String name, ListenAddress listen, XdsTarget target) {
  /**
   * Reads {@code [NAME@]LISTEN=TARGET}; the name defaults to the target's path.
   *
   * @throws IllegalArgumentException with the reason, when it is not of that form
   */
  static Forward parse(String text) {
    int equals = text.contains("=xds:") ? text.indexOf("=xds:") : text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException(
          "\"" + text + "\" has no target; write it as 9001=xds:///orders");
    }
    String left = text.substring(0, equals);
    int at = left.startsWith("unix:") ? -1 : left.indexOf('@');
    if (at == 0) {
      throw new IllegalArgumentException("\"" + text + "\" has an empty name before the @");
    }
    ListenAddress listen = ListenAddress.parse(left.substring(at + 1));
    XdsTarget target = XdsTarget.parse(text.substring(equals + 1));
    return new Forward(at < 0 ? defaultName(target) : left.substring(0, at), listen, target);
  }

  private static String defaultName(XdsTarget target) {
    return target instanceof XdsTarget.Service service ? service.path() : "*";
  }

  /** As the command line has it. */
  @Override
  public String toString() {
    return name + "@" + listen + "=" + target;
  }
}
