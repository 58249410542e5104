package io.outrigger.dataplane.forward;

import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;

/** Which {@code :authority} is sent to backends: the values of {@code --authority}. */
public sealed interface AuthorityMode {
  /** Sends the target's authority, as a proxyless client would. */
  record OfTarget() implements AuthorityMode {}

  /** Sends the app's authority, or the target's authority when the app sent none. */
  record Preserve() implements AuthorityMode {}

  record Fixed(HeaderField field) implements AuthorityMode {}

  static AuthorityMode fixed(String text) {
    return new Fixed(HeaderField.of(KnownName.AUTHORITY, text));
  }
}
