package io.outrigger.dataplane.forward;

import io.outrigger.http2.HeaderField;
import io.outrigger.http2.KnownName;

/** Which {@code :authority} goes upstream: the values of {@code --authority}. */
public sealed interface AuthorityMode {
  /** The target's, as a proxyless client would send. */
  record OfTarget() implements AuthorityMode {}

  /** The app's own; the target's when it sent none. */
  record Preserve() implements AuthorityMode {}

  /** Always this text. */
  record Fixed(HeaderField field) implements AuthorityMode {}

  /** Always {@code text}. */
  static AuthorityMode fixed(String text) {
    return new Fixed(HeaderField.of(KnownName.AUTHORITY, text));
  }
}
