package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayEffect.Omission;
import io.outrigger.config.overlay.OverlayEffect.Value;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteTable;
import io.outrigger.xds.overlay.Merge;
import io.outrigger.xds.overlay.Overlay;
import io.outrigger.xds.overlay.Overlay.ClusterRule;
import io.outrigger.xds.overlay.Overlay.RouteRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Decodes clusters and route configurations, and applies the overlay rules. A rule that makes a
 * valid message invalid is not applied.
 */
final class OverlayDecoder {
  private record Result<V>(V value, OverlayEffect effect) {}

  private OverlayDecoder() {}

  static Optional<ClusterResource> cluster(
      Cluster proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    Optional<ClusterResource> original = ClusterDecoder.decode(proto, bytes, context, errors);
    List<ClusterRule> rules = context.overlay().clusterRules(proto.getName());
    if (original.isEmpty() || !errors.isEmpty() || rules.isEmpty()) {
      return original;
    }
    try {
      Cluster whole = Cluster.parseFrom(bytes); // with the map fields, which proto lacks
      var result =
          apply(
              whole,
              original.get(),
              rules,
              (message, found) ->
                  ClusterDecoder.decode((Cluster) message, message.toByteString(), context, found));
      return Optional.of(withAlpn(result, rules));
    } catch (InvalidProtocolBufferException e) {
      return errors.refuse("is not readable: " + e.getMessage());
    }
  }

  /** Applies the ALPN names of the first rule that has any; a Cluster has no field for them. */
  private static ClusterResource withAlpn(Result<ClusterResource> result, List<ClusterRule> rules) {
    Optional<ClusterRule> first = rules.stream().filter(rule -> !rule.alpn().isEmpty()).findFirst();
    OverlayEffect effect = result.effect();
    if (first.isEmpty()) {
      return result.value().overlaid(effect);
    }
    List<String> alpn = first.get().alpn();
    List<Value> set = new ArrayList<>(effect.set());
    var names = new JsonArray();
    alpn.forEach(names::add);
    set.add(new Value(first.get().rule(), "alpn", names.toString()));
    ClusterResource cluster =
        result.value().overlaid(new OverlayEffect(effect.matched(), set, effect.leftOut()));
    return cluster
        .transport()
        .tls()
        .map(tls -> cluster.securedBy(tls.offering(alpn)))
        .orElse(cluster);
  }

  /** Decodes a route configuration; each target with rules of its own gets its own route table. */
  static Optional<RouteTable> routes(
      RouteConfiguration proto, boolean overridden, DecodeContext context, FieldErrors errors) {
    Optional<RouteTable> original =
        RouteDecoder.decode(proto, overridden, List.of(), context, errors);
    Overlay overlay = context.overlay();
    if (original.isEmpty() || !errors.isEmpty() || overlay.routes().isEmpty()) {
      return original;
    }
    Map<List<RouteRule>, RouteTable> tables = new HashMap<>(); // shared by targets with equal rules
    tables.put(List.of(), original.get());
    RouteTable general = table(overlay.routeRules(), proto, overridden, context, tables);
    Map<String, RouteTable> byTarget = new HashMap<>();
    overlay
        .routeRulesByTarget()
        .forEach(
            (target, rules) -> {
              RouteTable table = table(rules, proto, overridden, context, tables);
              if (!table.equals(general)) {
                byTarget.put(target, table);
              }
            });
    return Optional.of(new RouteTable(general.name(), general.virtualHosts(), byTarget));
  }

  private static RouteTable table(
      List<RouteRule> rules,
      RouteConfiguration proto,
      boolean overridden,
      DecodeContext context,
      Map<List<RouteRule>, RouteTable> tables) {
    return tables.computeIfAbsent(
        rules,
        all ->
            RouteDecoder.decode(proto, overridden, all, context, FieldErrors.ofResource())
                .orElseThrow());
  }

  static Route route(
      Route original,
      io.envoyproxy.envoy.config.route.v3.Route proto,
      Optional<RetryPolicy> hostRetry,
      RouteDecoder.Scope scope) {
    List<RouteRule> rules = scope.rules().stream().filter(rule -> rule.isFor(proto)).toList();
    if (rules.isEmpty() || !proto.hasRoute()) {
      return original;
    }
    var result =
        apply(
            proto.getRoute(),
            original.action(),
            rules,
            (message, errors) ->
                RouteActionDecoder.decode((RouteAction) message, hostRetry, scope, errors));
    return original.overlaid(result.value(), result.effect());
  }

  /** Applies {@code rules} to a valid message, whose decoded form is {@code originalValue}. */
  private static <V> Result<V> apply(
      Message original,
      V originalValue,
      List<? extends Overlay.Rule> rules,
      BiFunction<Message, FieldErrors, Optional<V>> decoder) {
    var merged = new Merge(original);
    V last = originalValue;
    List<Omission> leftOut = new ArrayList<>();
    for (Overlay.Rule rule : rules) {
      Merge tried = merged.copy();
      if (!tried.apply(rule.rule(), rule.patch())) {
        continue;
      }
      FieldErrors errors = FieldErrors.ofResource();
      Optional<V> value = decoder.apply(tried.message(), errors);
      if (value.isPresent() && errors.isEmpty()) {
        merged = tried;
        last = value.get();
      } else {
        leftOut.add(omission(rule.rule(), errors));
      }
    }
    List<OverlayRule> matched = rules.stream().<OverlayRule>map(Overlay.Rule::rule).toList();
    return new Result<>(last, new OverlayEffect(matched, merged.values(), leftOut));
  }

  private static Omission omission(OverlayRule rule, FieldErrors errors) {
    if (errors.isEmpty()) {
      return new Omission(rule, "", "nothing of use is left");
    }
    FieldError first = errors.all().get(0);
    return new Omission(rule, first.path(), first.reason());
  }
}
