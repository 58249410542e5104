package io.outrigger.program.options;

import static io.outrigger.program.options.Problems.require;

import io.outrigger.dataplane.downstream.ListenAddress;
import java.util.stream.Stream;

/** A local address, and the target that its requests are sent to. */
public record ForwardSpec(String name, ListenAddress listen, Target target) {
  /**
   * Reads {@code [NAME@]LISTEN=TARGET}; the default name is the target's path.
   *
   * @throws IllegalArgumentException with the reason, when the text is malformed
   */
  static ForwardSpec parse(String text) {
    int equals = beginOfTarget(text);
    require(equals >= 0, "\"" + text + "\" has no target; write it as 9001=xds:///orders");
    String left = text.substring(0, equals);
    int at = left.startsWith("unix:") ? -1 : left.indexOf('@');
    require(at != 0, "\"" + text + "\" has an empty name before the @");
    ListenAddress listen = ListenAddress.parse(left.substring(at + 1));
    Target target = Target.parse(text.substring(equals + 1));
    String name = at < 0 ? target.forwardName() : left.substring(0, at);
    return new ForwardSpec(name, listen, target);
  }

  /**
   * Returns the position of the {@code =} before the target. Because the path of a unix socket may
   * contain {@code =}, the {@code =} directly before a known scheme is the separator.
   */
  private static int beginOfTarget(String text) {
    return Stream.of("=xds:", "=" + Target.Dns.SCHEME, "=" + Target.Kubernetes.SCHEME, "=")
        .mapToInt(text::indexOf)
        .filter(index -> index >= 0)
        .findFirst()
        .orElse(-1);
  }

  /** Returns the forward in the form of the command line. */
  @Override
  public String toString() {
    return name + "@" + listen + "=" + target;
  }
}
