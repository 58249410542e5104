package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import java.util.Locale;

/** The destination of a forward's requests. */
@AnyThread
public sealed interface Target permits Target.Single, XdsTarget {
  /** A target that is the same for all requests. */
  sealed interface Single extends Target permits XdsTarget.Service, DnsTarget {
    /** Returns the name of a forward to this target when the user gave none. */
    String forwardName();

    /** Returns the {@code :authority} that is sent upstream and matched against virtual hosts. */
    String dataPlaneAuthority();
  }

  /**
   * Reads an {@link XdsTarget} or a {@link DnsTarget}.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is neither
   */
  static Target parse(String text) {
    return text.toLowerCase(Locale.ROOT).startsWith(DnsTarget.SCHEME)
        ? DnsTarget.parse(text)
        : XdsTarget.parse(text);
  }
}
