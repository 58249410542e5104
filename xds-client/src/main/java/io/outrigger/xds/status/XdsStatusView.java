package io.outrigger.xds.status;

import io.outrigger.base.RpcStatus;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.cache.CacheEntry.DataError;
import io.outrigger.xds.cache.CacheState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The state of the process's xDS clients at one instant.
 *
 * @param clients one client for all targets, or one per target when the bootstrap has fallback
 *     servers
 */
public record XdsStatusView(List<Client> clients) {
  public XdsStatusView {
    clients = List.copyOf(clients);
  }

  /** Returns the servers of all clients. A server that several clients use occurs several times. */
  public List<Server> servers() {
    return clients.stream().flatMap(client -> client.servers().stream()).toList();
  }

  public List<Resource> resources() {
    return clients.stream().flatMap(client -> client.resources().stream()).toList();
  }

  /**
   * @param scope the {@code client_scope} in CSDS (A71): the target of the client, or empty if the
   *     client serves all targets
   * @param servers every control plane that the client may use
   * @param authorities the authorities of watched resources; the authority of old-style names comes
   *     first
   * @param resources every subscribed resource, grouped by type in the order of {@code
   *     ResourceType.ALL}
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
   * The servers that provide the resources of one authority (A47, A71).
   *
   * @param name the authority's name; empty for old-style resource names
   * @param servers the URIs of the servers in order of preference
   * @param inUse the number of servers in use: zero before the first watch, and more than one
   *     during a fallback
   */
  public record Authority(String name, List<String> servers, int inUse) {
    public Authority {
      servers = List.copyOf(servers);
    }

    public boolean isFallenBack() {
      return inUse > 1;
    }
  }

  /**
   * The state of one control plane. Several servers may have the same URI, because two servers of a
   * bootstrap may differ only in credentials or features.
   *
   * @param inUse whether any authority uses the server
   * @param attached whether a stream to the server is attached to a connection
   * @param connected the gauge {@code grpc.xds_client.connected} (A78): false before the first
   *     attempt, and from a connectivity failure until the next response; otherwise true
   * @param lastError the latest connectivity failure, kept after recovery
   * @param streams the number of streams opened so far
   * @param failures the number of streams that ended without a response
   * @param outages the number of changes from healthy to unhealthy (A78 {@code server_failure})
   * @param updates the received updates, counted by the label of every resource type
   */
  public record Server(
      String uri,
      boolean inUse,
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

  public record Failure(RpcStatus status, Instant at) {}

  /** The numbers of valid and invalid resources received (A78). */
  public record Updates(long valid, long invalid) {}

  /**
   * @param type the type's label, such as {@code lds}
   * @param state the state of the cache entry, as a label such as {@code acked}
   * @param version the version in use; empty if there is no resource in use
   * @param lastUpdated the time at which the version in use was last received
   * @param connectivityError the stream error of the cache entry, if any
   * @param changes the most recent state changes of the resource, the oldest first
   */
  public record Resource(
      String type,
      String typeUrl,
      String name,
      String state,
      String version,
      Optional<Instant> lastUpdated,
      Optional<RawResource> raw,
      Optional<DataError> error,
      Optional<RpcStatus> connectivityError,
      List<Change> changes) {
    public Resource {
      changes = List.copyOf(changes);
    }

    private static final String XDSTP = "xdstp://";

    /** Whether an earlier process saved the resource, and no control plane has sent it yet. */
    public boolean isStale() {
      return state.equals(CacheState.STALE.label());
    }

    /**
     * Returns the name of the cache state in CSDS. CSDS has no state STALE: such a resource is
     * shown as ACKED or, after an error, in the state of the error (CONTRACT 16).
     */
    public String clientStatus() {
      CacheState afterError =
          error.flatMap(DataError::refused).isPresent()
              ? CacheState.NACKED
              : CacheState.RECEIVED_ERROR;
      return (!isStale() ? state : (error.isPresent() ? afterError : CacheState.ACKED).label())
          .toUpperCase(Locale.ROOT);
    }

    /** Returns the authority in the name; empty for old-style names (A47). */
    public Optional<String> authority() {
      if (!name.startsWith(XDSTP)) {
        return Optional.empty();
      }
      int end = name.indexOf('/', XDSTP.length());
      return Optional.of(name.substring(XDSTP.length(), end < 0 ? name.length() : end));
    }

    /** Returns the label of A78's {@code grpc.xds.cache_state} with A88's additions (A88-39). */
    public String cacheStateLabel() {
      return raw.isPresent() && error.isPresent() ? state + "_but_cached" : state;
    }
  }

  /**
   * @param state the cache state after the change, as a label
   * @param version the version of the resource that was accepted or refused, or of the response
   *     with the error
   * @param details the error's message; empty without an error
   */
  public record Change(Instant at, String state, String version, String details) {}
}
