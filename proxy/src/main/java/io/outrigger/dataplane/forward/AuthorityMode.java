package io.outrigger.dataplane.forward;

/** The {@code :authority} that is sent to backends ({@code --authority}). */
public sealed interface AuthorityMode {
  /** Sends the target's authority, as a proxyless client would. */
  record OfTarget() implements AuthorityMode {}

  /** Sends the app's authority, or the target's authority when the app sent none. */
  record Preserve() implements AuthorityMode {}

  record Fixed(String text) implements AuthorityMode {}
}
