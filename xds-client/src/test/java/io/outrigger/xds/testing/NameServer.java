package io.outrigger.xds.testing;

import io.outrigger.base.AnyThread;
import io.outrigger.xds.testing.ScriptedNameServer.Query;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A name server on a loopback port. Names that it was not given do not exist. */
@AnyThread
public final class NameServer implements AutoCloseable {
  /** The addresses of each name; of a name without, nothing is said. */
  private final Map<String, Optional<List<String>>> names = new ConcurrentHashMap<>();

  private final AtomicInteger queries = new AtomicInteger();
  private final ScriptedNameServer server;

  /** Serves, from now on. */
  public NameServer() {
    try {
      server = new ScriptedNameServer("127.0.0.1", 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.udp = this::answers;
  }

  private List<byte[]> answers(Query query) {
    queries.incrementAndGet();
    Optional<List<String>> ips = names.get(query.name());
    if (ips == null) {
      return List.of(query.code(ScriptedNameServer.NXDOMAIN));
    }
    return ips.map(all -> query.answer(all.toArray(String[]::new))).stream().toList();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  /** How many queries have come. */
  public int queries() {
    return queries.get();
  }

  /** From now on addresses may be cached for {@code seconds}. */
  public NameServer ttl(int seconds) {
    server.ttl = seconds;
    return this;
  }

  /** From now on {@code name} has these addresses, of both families. */
  public NameServer answer(String name, String... ips) {
    names.put(name + ".", Optional.of(List.of(ips)));
    return this;
  }

  /** From now on nothing is said of {@code name}. */
  public NameServer keepSilentOf(String name) {
    names.put(name + ".", Optional.empty());
    return this;
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
