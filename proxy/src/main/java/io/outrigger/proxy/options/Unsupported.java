package io.outrigger.proxy.options;

import io.outrigger.base.AnyThread;
import java.util.ArrayList;
import java.util.List;

/** Flags of the contract that this version cannot honour: refused, never silently ignored. */
@AnyThread
public final class Unsupported {
  private Unsupported() {}

  /**
   * Refuses what was asked for in vain.
   *
   * @throws InvalidInput with a line for each such flag
   */
  public static void refuse(ProxyOptions options) throws InvalidInput {
    List<String> lines = new ArrayList<>();
    add(lines, Flag.OTLP, options.otlp().isPresent());
    if (!lines.isEmpty()) {
      throw new InvalidInput(lines);
    }
  }

  private static void add(List<String> lines, Flag flag, boolean given) {
    if (given) {
      lines.add(flag.option() + ": this version does not support it; leave it out");
    }
  }
}
