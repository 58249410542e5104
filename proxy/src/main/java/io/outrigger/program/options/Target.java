package io.outrigger.program.options;

import io.outrigger.base.AnyThread;
import java.util.Locale;

/** The destination of a forward's requests. */
@AnyThread
public sealed interface Target permits Target.Single, XdsTarget {
  /** A target that is the same for all requests. */
  sealed interface Single extends Target permits XdsTarget.Service, DnsTarget, KubernetesTarget {
    /** Returns the name of a forward to this target when the user gave none. */
    String forwardName();

    /** Returns the {@code :authority} that is sent upstream and matched against virtual hosts. */
    String dataPlaneAuthority();
  }

  /**
   * Reads an {@link XdsTarget}, a {@link DnsTarget} or a {@link KubernetesTarget}.
   *
   * @throws IllegalArgumentException with the reason, when {@code text} is none of them
   */
  static Target parse(String text) {
    if (hasScheme(text, DnsTarget.SCHEME)) {
      return DnsTarget.parse(text);
    }
    return hasScheme(text, KubernetesTarget.SCHEME)
        ? KubernetesTarget.parse(text)
        : XdsTarget.parse(text);
  }

  private static boolean hasScheme(String text, String scheme) {
    return text.toLowerCase(Locale.ROOT).startsWith(scheme);
  }
}
