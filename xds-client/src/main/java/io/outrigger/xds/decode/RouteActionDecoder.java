package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.re2j.Pattern;
import io.envoyproxy.envoy.config.route.v3.WeightedCluster;
import io.envoyproxy.envoy.type.matcher.v3.RegexMatchAndSubstitute;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.HashPolicy.Rewrite;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.RouteTimeout.StreamDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Decodes {@code RouteAction} (A28, A31, A42, A44, A81). */
final class RouteActionDecoder {
  static final long MAX_UINT32 = 0xFFFF_FFFFL;

  private static final String CHANNEL_ID = "io.grpc.channel_id";

  private RouteActionDecoder() {}

  /**
   * Returns empty if the action is invalid, or if the route must be skipped (A31-40).
   *
   * @param hostRetry the virtual host's retry policy, used only if the route has none (A44-04)
   */
  static Optional<RouteAction> decode(
      io.envoyproxy.envoy.config.route.v3.RouteAction proto,
      Optional<RetryPolicy> hostRetry,
      RouteDecoder.Scope scope,
      FieldErrors errors) {
    RouteTimeout timeout = timeout(proto, errors);
    HostRewrite hostRewrite = hostRewrite(proto, scope.context(), errors);
    List<HashPolicy> hashPolicies = hashPolicies(proto.getHashPolicyList(), errors);
    Optional<RetryPolicy> retry =
        proto.hasRetryPolicy()
            ? RetryPolicyDecoder.decode(proto.getRetryPolicy(), errors.at("retry_policy"))
            : hostRetry;
    return clusters(proto, scope, errors)
        .map(choice -> new RouteAction.Forward(choice, timeout, hostRewrite, hashPolicies, retry));
  }

  /** Ignores a host rewrite of an untrusted server (A81, A111 "xDS Resource Validation"). */
  private static HostRewrite hostRewrite(
      io.envoyproxy.envoy.config.route.v3.RouteAction proto,
      DecodeContext context,
      FieldErrors errors) {
    if (!context.features().trustedXdsServer()) {
      return HostRewrite.NONE;
    }
    if (proto.getAutoHostRewrite().getValue()) {
      return new HostRewrite.OfEndpoint();
    }
    String literal = proto.getHostRewriteLiteral();
    if (!literal.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      errors
          .at("host_rewrite_literal")
          .ignore(quoted(literal) + " cannot be an :authority; it stays as it is");
      return HostRewrite.NONE;
    }
    return literal.isEmpty() ? HostRewrite.NONE : new HostRewrite.Literal(literal);
  }

  private static Optional<ClusterChoice> clusters(
      io.envoyproxy.envoy.config.route.v3.RouteAction proto,
      RouteDecoder.Scope scope,
      FieldErrors errors) {
    return switch (proto.getClusterSpecifierCase()) {
      case CLUSTER -> {
        if (proto.getCluster().isEmpty()) {
          errors.at("cluster").ignore("is empty; no cluster has such a name");
        }
        yield Optional.of(new ClusterChoice.Single(proto.getCluster()));
      }
      case WEIGHTED_CLUSTERS ->
          weighted(proto.getWeightedClusters(), scope.overridden(), errors.at("weighted_clusters"));
      case CLUSTER_SPECIFIER_PLUGIN -> { // the plugin is unsupported but optional
        if (!scope.plugins().contains(proto.getClusterSpecifierPlugin())) {
          errors
              .at("cluster_specifier_plugin")
              .add(
                  quoted(proto.getClusterSpecifierPlugin())
                      + " is not in cluster_specifier_plugins");
        }
        yield Optional.empty();
      }
      // A route with cluster_header or an unknown cluster specifier counts as absent (A31-40).
      default -> {
        errors.ignore(
            "names its cluster in a way that gRPC does not support; the route is left out");
        yield Optional.empty();
      }
    };
  }

  /**
   * Decodes {@code weighted_clusters}; {@code total_weight} is ignored (A28-12). A weighted cluster
   * with weight 0 counts as absent (A31-35, decision lb-0031).
   */
  private static Optional<ClusterChoice> weighted(
      WeightedCluster proto, boolean overridden, FieldErrors errors) {
    var clusters = new ArrayList<ClusterChoice.WeightedCluster>();
    long sum = 0;
    boolean skip = false;
    for (int i = 0; i < proto.getClustersCount(); i++) {
      var entry = proto.getClusters(i);
      long weight = Integer.toUnsignedLong(entry.getWeight().getValue());
      if (weight == 0) {
        continue;
      }
      sum += weight;
      FieldErrors here = errors.at("clusters", i);
      if (entry.getName().isEmpty()) {
        if (entry.getClusterHeader().isEmpty()) {
          here.at("name").ignore("is empty; no cluster has such a name");
        } else {
          skip = true; // like a route with cluster_header
        }
      }
      clusters.add(
          new ClusterChoice.WeightedCluster(
              entry.getName(),
              weight,
              overridden
                  ? HttpFilterDecoder.overrides(entry.getTypedPerFilterConfigMap(), here)
                  : Map.of()));
    }
    if (proto.getClustersCount() == 0) {
      return errors.at("clusters").refuse("is empty");
    }
    if (sum == 0) {
      errors.at("clusters").add("the weights add up to 0; give a cluster a weight above 0");
    } else if (sum > MAX_UINT32) {
      errors.at("clusters").add("the weights add up to " + sum + ", above " + MAX_UINT32);
    }
    return skip ? Optional.empty() : Optional.of(new ClusterChoice.Weighted(clusters));
  }

  // Reads max_grpc_timeout of A31's first version, because control planes still send it.
  @SuppressWarnings("deprecation")
  private static RouteTimeout timeout(
      io.envoyproxy.envoy.config.route.v3.RouteAction proto, FieldErrors errors) {
    Optional<Duration> timeout =
        ProtoDurations.ifSet(proto.hasTimeout(), proto.getTimeout(), errors.at("timeout"));
    Optional<Duration> maxGrpcTimeout =
        ProtoDurations.ifSet(
            proto.hasMaxGrpcTimeout(), proto.getMaxGrpcTimeout(), errors.at("max_grpc_timeout"));
    Optional<StreamDuration> streamDuration =
        proto.hasMaxStreamDuration()
            ? Optional.of(
                streamDuration(proto.getMaxStreamDuration(), errors.at("max_stream_duration")))
            : Optional.empty();
    return new RouteTimeout(timeout, maxGrpcTimeout, streamDuration);
  }

  /** Decodes {@code max_stream_duration}; ignores {@code grpc_timeout_header_offset} (A31-22). */
  private static StreamDuration streamDuration(
      io.envoyproxy.envoy.config.route.v3.RouteAction.MaxStreamDuration proto, FieldErrors errors) {
    return new StreamDuration(
        ProtoDurations.ifSet(
            proto.hasMaxStreamDuration(),
            proto.getMaxStreamDuration(),
            errors.at("max_stream_duration")),
        ProtoDurations.ifSet(
            proto.hasGrpcTimeoutHeaderMax(),
            proto.getGrpcTimeoutHeaderMax(),
            errors.at("grpc_timeout_header_max")));
  }

  /** Decodes {@code hash_policy}; leaves out unsupported kinds (A42 "Hash Policy"). */
  private static List<HashPolicy> hashPolicies(
      List<io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy> protos, FieldErrors errors) {
    var policies = new ArrayList<HashPolicy>(protos.size());
    for (int i = 0; i < protos.size(); i++) {
      var proto = protos.get(i);
      boolean terminal = proto.getTerminal();
      FieldErrors here = errors.at("hash_policy", i);
      switch (proto.getPolicySpecifierCase()) {
        case HEADER -> policies.add(header(proto.getHeader(), terminal, here.at("header")));
        case FILTER_STATE -> {
          if (proto.getFilterState().getKey().equals(CHANNEL_ID)) {
            policies.add(new HashPolicy.ChannelId(terminal));
          } else {
            here.at("filter_state").at("key").ignore("is not " + quoted(CHANNEL_ID));
          }
        }
        case COOKIE, CONNECTION_PROPERTIES, QUERY_PARAMETER, POLICYSPECIFIER_NOT_SET ->
            here.ignore("is of a kind that gRPC does not support");
      }
    }
    return policies;
  }

  private static HashPolicy header(
      io.envoyproxy.envoy.config.route.v3.RouteAction.HashPolicy.Header proto,
      boolean terminal,
      FieldErrors errors) {
    if (proto.getHeaderName().isEmpty()) {
      errors.at("header_name").ignore("is empty; no request has such a header");
    }
    Optional<Rewrite> rewrite =
        proto.hasRegexRewrite()
            ? rewrite(proto.getRegexRewrite(), errors.at("regex_rewrite"))
            : Optional.empty();
    return new HashPolicy.Header(proto.getHeaderName().toLowerCase(Locale.ROOT), rewrite, terminal);
  }

  private static Optional<Rewrite> rewrite(RegexMatchAndSubstitute proto, FieldErrors errors) {
    return RegexDecoder.decode(proto.getPattern(), errors.at("pattern"))
        .flatMap(
            pattern ->
                substitution(proto.getSubstitution(), pattern, errors.at("substitution"))
                    .map(substitution -> new Rewrite(pattern, substitution)));
  }

  /**
   * Translates the replacement text of a rewrite from the syntax of RE2 to the syntax of RE2/J. In
   * a replacement text of RE2, {@code \1} stands for the text of group 1, and {@code \\} for a
   * backslash. In a replacement text of RE2/J, {@code $1} stands for the text of group 1, and a
   * backslash makes the next character literal.
   */
  private static Optional<String> substitution(String text, Pattern pattern, FieldErrors errors) {
    var translated = new StringBuilder(text.length());
    boolean escaped = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!escaped && c == '\\') {
        escaped = true;
        continue;
      }
      boolean group = c >= '0' && c <= '9' && c - '0' <= pattern.groupCount();
      if (escaped && !group && c != '\\') {
        break;
      }
      translated.append(escaped && group ? '$' : '\\').append(c);
      escaped = false;
    }
    if (escaped) {
      errors.ignore(
          quoted(text)
              + " has a backslash before what is neither a group nor a backslash; the rewrite is"
              + " left out");
      return Optional.empty();
    }
    return Optional.of(translated.toString());
  }
}
