package io.outrigger.xds.testing;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.xds.deps.DnsLookup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** DNS whose answers the test gives. Call it inside the loop; answers are posted to it. */
@ControlConfined
public final class FakeDnsLookup implements DnsLookup {
  private final ControlLoop loop;
  private final List<Running> running = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();

  private record Running(String host, int port, Consumer<Outcome<Answer>> callback) {}

  public FakeDnsLookup(ControlLoop loop) {
    this.loop = loop;
  }

  @Override
  public Runnable resolve(String host, int port, Consumer<Outcome<Answer>> callback) {
    asked.add(host + ":" + port);
    var query = new Running(host, port, callback);
    running.add(query);
    return () -> running.remove(query);
  }

  /** Answers the running lookup of {@code host} with these IP addresses, and a TTL of zero. */
  public void answer(String host, String... ips) {
    answer(host, Duration.ZERO, ips);
  }

  /** Answers the running lookup of {@code host} with these IP addresses. */
  public void answer(String host, Duration ttl, String... ips) {
    Running query = take(host);
    List<EndpointAddress> addresses =
        Stream.of(ips).map(ip -> new EndpointAddress(ip, query.port())).toList();
    loop.execute(() -> query.callback().accept(Outcome.ok(new Answer(addresses, ttl, false))));
  }

  /** Answers the running lookup of {@code host} with one address family; the other one failed. */
  public void answerPartly(String host, String ip) {
    Running query = take(host);
    List<EndpointAddress> addresses = List.of(new EndpointAddress(ip, query.port()));
    loop.execute(
        () -> query.callback().accept(Outcome.ok(new Answer(addresses, Duration.ZERO, true))));
  }

  /** Lets the running lookup of {@code host} fail. */
  public void fail(String host, String reason) {
    Running query = take(host);
    loop.execute(() -> query.callback().accept(Outcome.failed(RpcStatus.unavailable(reason))));
  }

  /** {@code host:port} of each lookup begun since the last call. */
  public List<String> takeAsked() {
    List<String> taken = List.copyOf(asked);
    asked.clear();
    return taken;
  }

  /** How many lookups wait for an answer. */
  public int running() {
    return running.size();
  }

  private Running take(String host) {
    Running query =
        running.stream()
            .filter(q -> q.host().equals(host))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no lookup of " + host + " is running"));
    running.remove(query);
    return query;
  }
}
