package io.outrigger.dataplane.forward;

import io.outrigger.base.IpAddress;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import org.jspecify.annotations.Nullable;

/** A request and its caller, as RBAC judges them (A41). */
@LoopConfined
public record CallAuthorization(RequestHead head, Caller.Remote caller)
    implements AuthorizationInput {
  @Override
  public String path() {
    return head.path();
  }

  @Override
  public @Nullable String header(String name) {
    return head.received(name);
  }

  @Override
  public PeerIdentity peer() {
    return caller.identity();
  }

  @Override
  public IpAddress peerAddress() {
    return caller.address();
  }

  @Override
  public IpAddress localAddress() {
    return caller.localAddress();
  }

  @Override
  public int localPort() {
    return caller.localPort();
  }
}
