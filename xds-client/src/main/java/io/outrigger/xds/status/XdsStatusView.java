package io.outrigger.xds.status;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.RawResource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the xDS clients of the process knew at one instant.
 *
 * @param clients one for all targets, or one for each when the bootstrap has fall-back servers
 * @param loadReports one for each server to which load is reported
 */
@AnyThread
public record XdsStatusView(List<Client> clients, List<LoadReportView> loadReports) {
  public XdsStatusView {
    clients = List.copyOf(clients);
    loadReports = List.copyOf(loadReports);
  }

  /** A view of clients that report no load. */
  public XdsStatusView(List<Client> clients) {
    this(clients, List.of());
  }

  /** The servers of all clients; once for each client that may use it. */
  public List<Server> servers() {
    return clients.stream().flatMap(client -> client.servers().stream()).toList();
  }

  /** The resources of all clients. */
  public List<Resource> resources() {
    return clients.stream().flatMap(client -> client.resources().stream()).toList();
  }

  /**
   * One client.
   *
   * @param scope the target that it serves, CSDS's {@code client_scope} (A71); empty for all
   * @param servers every control plane it may use
   * @param authorities those of which something was watched, the one of old-style names first
   * @param resources every subscribed resource, by type in the order of their dependency
   */
  public record Client(
      String scope, List<Server> servers, List<Authority> authorities, List<Resource> resources) {
    public Client {
      servers = List.copyOf(servers);
      authorities = List.copyOf(authorities);
      resources = List.copyOf(resources);
    }
  }

  /**
   * Where the resources of one authority come from (A47, A71).
   *
   * @param name empty for names of the old style
   * @param servers their URIs in order of preference
   * @param inUse how many of them, from the first on, are asked: more than one while the first
   *     cannot be reached and something was missing; zero before the first watch
   */
  public record Authority(String name, List<String> servers, int inUse) {
    public Authority {
      servers = List.copyOf(servers);
    }

    /** Whether a server other than the first is used. */
    public boolean isFallenBack() {
      return inUse > 1;
    }
  }

  /** Whether a server is asked, by the authority that wants it most. */
  public enum Use {
    /** It is the first of an authority. */
    PREFERRED,
    /** It is asked instead of one that is preferred to it (A71). */
    FALLBACK,
    STANDBY
  }

  /**
   * One control plane; counts are since the start of the process. Several may have the same URI:
   * what a bootstrap gives for two servers may differ in credentials or features alone.
   *
   * @param use how authorities use it
   * @param asked whether any authority asks it for anything now
   * @param attached whether a stream is attached to a live connection
   * @param connected the gauge of A78: true from the first attempt, false from a connectivity
   *     failure until the next response
   * @param lastError the latest connectivity failure, kept after recovery
   * @param streams opened so far
   * @param failures streams that ended without a response
   * @param outages times that it went from healthy to unhealthy (A78 {@code server_failure})
   * @param nacks refused responses
   * @param updates by resource type label, for every type
   */
  public record Server(
      String uri,
      Use use,
      boolean asked,
      boolean attached,
      boolean connected,
      Optional<Failure> lastError,
      long streams,
      long failures,
      long outages,
      long nacks,
      Map<String, Updates> updates) {
    public Server {
      updates = Map.copyOf(updates);
    }
  }

  /** A connectivity failure. */
  public record Failure(RpcStatus status, Instant at) {}

  /** How many resources came that were valid, and how many that were not (A78). */
  public record Updates(long valid, long invalid) {}

  /**
   * One subscribed resource.
   *
   * @param type the type's label, such as {@code lds}
   * @param state label of the cache state, such as {@code acked}
   * @param version in use; empty when none is
   * @param lastUpdated when the version in use was last received
   * @param raw what is in use
   * @param error the latest error of the resource itself
   * @param connectivityError why the server cannot be reached, while it cannot
   * @param history what became of it before
   */
  public record Resource(
      String type,
      String typeUrl,
      String name,
      String state,
      String version,
      Optional<Instant> lastUpdated,
      Optional<RawResource> raw,
      Optional<ResourceError> error,
      Optional<RpcStatus> connectivityError,
      History history) {
    private static final String XDSTP = "xdstp://";

    /** The authority in the name; empty for names of the old style (A47). */
    public Optional<String> authority() {
      if (!name.startsWith(XDSTP)) {
        return Optional.empty();
      }
      int end = name.indexOf('/', XDSTP.length());
      return Optional.of(name.substring(XDSTP.length(), end < 0 ? name.length() : end));
    }

    /** The label of A78's {@code grpc.xds.cache_state} with A88's additions (A88-39). */
    public String cacheStateLabel() {
      return raw.isPresent() && error.isPresent() ? state + "_but_cached" : state;
    }
  }

  /**
   * What became of a resource since it was first watched.
   *
   * @param changes the last ones, the oldest first
   * @param nacks how often it was refused
   */
  public record History(
      List<Change> changes, long nacks, Optional<Instant> firstNack, Optional<Instant> lastNack) {
    public static final History NONE =
        new History(List.of(), 0, Optional.empty(), Optional.empty());

    public History {
      changes = List.copyOf(changes);
    }
  }

  /**
   * One change.
   *
   * @param state label of the cache state from then on
   * @param version that came, or that the error names
   * @param details of the error; empty for none
   * @param body what came, accepted or refused; empty when nothing did, and for what is long ago
   */
  public record Change(
      Instant at, String state, String version, String details, Optional<RawResource> body) {}

  /**
   * An error of a resource.
   *
   * @param version that was refused; empty when the error has none
   * @param refused the resource that was refused; empty for other errors
   * @param count how many errors since the resource was last valid
   */
  public record ResourceError(
      String version, RpcStatus details, Optional<RawResource> refused, Instant at, long count) {}
}
