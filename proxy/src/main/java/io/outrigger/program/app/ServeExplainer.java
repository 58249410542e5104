package io.outrigger.program.app;

import static io.outrigger.observe.admin.AdminRequest.require;

import io.outrigger.base.AnyThread;
import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.config.tls.SubjectAltName;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.filter.RouteFilter.Verdict;
import io.outrigger.dataplane.forward.CallAuthorization;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.dataplane.serve.ServedChain;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.observe.admin.AdminRequest;
import io.outrigger.observe.admin.ExplainRequest;
import io.outrigger.observe.explain.Explainer;
import io.outrigger.observe.explain.Explanation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Explains how a served address would treat a request, without sending the request. The explanation
 * uses the filter chains, peer checks, routes and filters of real calls.
 */
@AnyThread
final class ServeExplainer {
  private static final String ALLOWED = "allowed";
  private static final String DENIED = "denied";
  private static final String FAILED = "failed";
  private static final String LOOPBACK = "127.0.0.1";
  private static final String V6_LOOPBACK = "::1";
  private static final Set<String> WILDCARDS = Set.of("0.0.0.0", "::");

  private final RunningServe serve;
  private final RequestHead request;
  private final Optional<SubjectAltName> peer;
  private final IpAddress source;
  private final IpAddress local;
  private final String connection;

  /**
   * The explanation. The record components have the names of the JSON members in CONTRACT.
   *
   * @param route contains the name or the index of the route
   * @param filters lists each RBAC filter with its verdict, up to the first that denies the request
   */
  record Result(
      String serve,
      Chain chain,
      boolean tls,
      Optional<String> virtualHost,
      Optional<String> route,
      List<Filter> filters,
      String verdict,
      String reason) {}

  /** The filter chain of a connection; {@code name} is empty if no chain accepts the connection. */
  record Chain(Optional<String> name, String reason) {}

  record Filter(String name, String action, String verdict, Optional<String> policy) {}

  /**
   * @throws IllegalArgumentException with the reason, when the parameters are invalid
   */
  ServeExplainer(RunningServe serve, AdminRequest query) {
    this.serve = serve;
    request = ExplainRequest.read(query);
    peer = query.parameter("peer").map(ServeExplainer::name);
    String listen = serve.spec().listen().host();
    String from = query.parameter("source").orElse(listen.contains(":") ? V6_LOOPBACK : LOOPBACK);
    source = address("source", from);
    // A wildcard address accepts connections to any address of the host, including loopback.
    String to = WILDCARDS.contains(listen) ? source.isV6() ? V6_LOOPBACK : LOOPBACK : listen;
    local = address("the served address", to);
    connection = "a connection from " + from + " to " + to;
  }

  private static SubjectAltName name(String peer) {
    require(!peer.isEmpty(), "peer is empty; give one such as spiffe://mesh/shop");
    boolean isUri = peer.contains("://");
    return new SubjectAltName(isUri ? SubjectAltName.Kind.URI : SubjectAltName.Kind.DNS, peer);
  }

  private static IpAddress address(String what, String ip) {
    return IpAddress.parse(ip)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    what + " is not an IP address; give one such as 10.1.2.3"));
  }

  /** Runs on the control loop. */
  Result explain() {
    ServedListener port = serve.port();
    if (port.state() != ServedListener.State.SERVING) {
      String reason = serve.notReady().orElse("the port is closed");
      return unaccepted("the port is closed", reason);
    }
    Optional<ServedChain> found = port.chainFor(local, source, 0);
    if (found.isEmpty()) {
      String reason = "no filter chain matches " + connection + ", which is closed before any byte";
      return unaccepted(reason, reason);
    }
    ServedChain chain = found.get();
    Outcome<PeerIdentity> identity = identity(chain);
    if (!identity.isOk()) {
      return result(chain, Optional.empty(), List.of(), FAILED, identity.status().message());
    }
    var accepted =
        new AuthorizationInput.Connection(
            identity.toOptional().orElseThrow(), source, local, serve.spec().listen().port());
    return judged(chain, accepted);
  }

  private Result unaccepted(String chainReason, String reason) {
    var none = new Chain(Optional.empty(), chainReason);
    return new Result(
        serve.spec().name(),
        none,
        false,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        FAILED,
        reason);
  }

  /** Returns the identity of the peer, or why the TLS handshake would fail. */
  private Outcome<PeerIdentity> identity(ServedChain chain) {
    if (chain.config().tls().isEmpty()) {
      return Outcome.ok(new PeerIdentity.Plain());
    }
    DownstreamTls tls = chain.config().tls().get();
    if (!chain.tls().isOk()) {
      return Outcome.failed(chain.tls().status());
    }
    if (peer.isEmpty() && tls.requireClientCertificate()) {
      return unavailable("the chain requires a client certificate; give peer=spiffe://...");
    }
    if (peer.isEmpty() || tls.roots().isEmpty()) {
      return Outcome.ok(new PeerIdentity.Anonymous());
    }
    SubjectAltName name = peer.get();
    boolean isUri = name.kind() == SubjectAltName.Kind.URI;
    return tls.objection(List.of(name), Optional.empty())
        .map(ServeExplainer::unavailable)
        .orElseGet(
            () ->
                Outcome.ok(
                    new PeerIdentity.Certified(
                        isUri ? List.of(name.value()) : List.of(),
                        isUri ? List.of() : List.of(name.value()),
                        "")));
  }

  private static Outcome<PeerIdentity> unavailable(String reason) {
    return Outcome.failed(RpcStatus.unavailable(reason));
  }

  private Result judged(ServedChain chain, AuthorizationInput.Connection accepted) {
    ForwardTarget target = chain.targetFor(request.authority()).toOptional().orElseThrow();
    Explanation routed =
        Explainer.explain(
            serve.calls(),
            target,
            request,
            Optional.empty(),
            cluster -> Optional.empty(),
            Map.of());
    int outcomes = routed.branches().size();
    String drawn =
        outcomes > 1 ? "; the likeliest of " + outcomes + " outcomes of random fractions" : "";
    RouteDecision decision = routed.branches().get(0).decision();
    if (decision instanceof RouteDecision.Reject reject) {
      String failure = reject.answer().status().message();
      return result(chain, Optional.empty(), List.of(), FAILED, failure + drawn);
    }
    var chosen = (RouteDecision.Forward) decision;
    List<Verdict> verdicts = chosen.filters().judge(new CallAuthorization(request, accepted));
    List<Filter> filters = new ArrayList<>();
    String verdict = ALLOWED;
    String reason = "no filter denies the request";
    for (Verdict each : verdicts) {
      boolean isRefused = each.refusal().isPresent();
      if (!each.filter().isEmpty()) {
        filters.add(
            new Filter(each.filter(), each.action(), isRefused ? DENIED : ALLOWED, each.policy()));
        if (isRefused || each.policy().isPresent()) {
          reason = reason(each, isRefused);
        }
      } else if (isRefused) {
        reason = each.refusal().get().status().message();
      }
      if (isRefused) {
        verdict = each.refusal().get().reason() == LocalReason.DENIED ? DENIED : FAILED;
      }
    }
    String problem =
        verdict.equals(ALLOWED) ? serve.port().problem().map(why -> "; but " + why).orElse("") : "";
    return result(
        chain, Optional.of(chosen.route().label()), filters, verdict, reason + drawn + problem);
  }

  private static String reason(Verdict of, boolean isRefused) {
    return "%s of filter \"%s\" %s the request"
        .formatted(
            of.policy().map(name -> "policy \"" + name + "\"").orElse("no policy"),
            of.filter(),
            isRefused && of.policy().isPresent() ? "denies" : "allows");
  }

  private Result result(
      ServedChain chain,
      Optional<String> route,
      List<Filter> filters,
      String verdict,
      String reason) {
    ServerFilterChain config = chain.config();
    String matched =
        serve.port().isDefault(config)
            ? "the default chain, since no other matches " + connection
            : "the best match of " + connection;
    return new Result(
        serve.spec().name(),
        new Chain(Optional.of(config.name()), matched),
        config.tls().isPresent(),
        chain
            .hostFor(String.valueOf(request.authority()))
            .map(DomainMatch::host)
            .map(host -> host.name()),
        route,
        filters,
        verdict,
        reason);
  }
}
