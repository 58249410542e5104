package io.outrigger.dataplane.serve;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Outcome;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsPeer;
import org.jspecify.annotations.Nullable;

/**
 * The peer of one connection, with the filter chain that serves it.
 *
 * @param tls the result of the TLS handshake; null for plain text
 * @param context the context of the handshake; null for plain text
 */
@AnyThread
record ServedPeer(ServedChain chain, @Nullable TlsPeer tls, @Nullable TlsContext context)
    implements TargetResolver {
  @Override
  public Outcome<ForwardTarget> targetFor(CharSequence authority) {
    return chain.targetFor(authority);
  }

  /** Whether the current certificates would refuse the peer. Takes about 100 µs after a change. */
  @SuppressWarnings("ReferenceEquality") // one object per set of certificates
  boolean isDistrusted() {
    TlsContext now = chain.tls().toOptional().orElse(null);
    return tls != null && now != null && now != context && now.objection(tls).isPresent();
  }
}
