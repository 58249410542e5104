package io.outrigger.lb.testing;

import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.SessionHint;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A call that a session filter has seen. */
public final class SessionCall implements PickContext, SessionHint {
  private final List<EndpointAddress> preferred;
  private List<EndpointAddress> picked = List.of();

  private SessionCall(List<EndpointAddress> preferred) {
    this.preferred = preferred;
  }

  /** A call whose cookie names these addresses; without any, it begins a session. */
  public static SessionCall to(String... addresses) {
    return new SessionCall(Arrays.stream(addresses).map(Samples::address).toList());
  }

  /** What its response's cookie would name, joined by commas; empty when nothing was picked. */
  public String cookie() {
    return picked.stream().map(EndpointAddress::toString).collect(Collectors.joining(","));
  }

  @Override
  public SessionHint session() {
    return this;
  }

  @Override
  public List<EndpointAddress> preferred() {
    return preferred;
  }

  @Override
  public void picked(List<EndpointAddress> addresses) {
    picked = addresses;
  }

  @Override
  public int loop() {
    return 0;
  }

  @Override
  public long hash() {
    return 0;
  }

  @Override
  public @Nullable String header(String name) {
    return null;
  }
}
