package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import java.util.Locale;

/** What a forward leads to. */
@AnyThread
public sealed interface Target permits Target.Single, XdsTarget {
  /** The same for all requests. */
  sealed interface Single extends Target permits XdsTarget.Service, DnsTarget {
    /** What a forward is called that has no name of its own. */
    String forwardName();

    /** What is sent upstream as {@code :authority}, and what virtual hosts are matched with. */
    String dataPlaneAuthority();
  }

  /**
   * Reads what {@link XdsTarget} and {@link DnsTarget} read.
   *
   * @throws IllegalArgumentException with the reason, when it is none of these
   */
  static Target parse(String text) {
    return text.toLowerCase(Locale.ROOT).startsWith(DnsTarget.SCHEME)
        ? DnsTarget.parse(text)
        : XdsTarget.parse(text);
  }
}
