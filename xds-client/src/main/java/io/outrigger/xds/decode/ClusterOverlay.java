package io.outrigger.xds.decode;

import com.google.gson.JsonArray;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayEffect.Value;
import io.outrigger.xds.overlay.ClusterRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decodes {@code Cluster} and applies the overlay rules to it. The rules do not decide whether the
 * cluster is valid.
 */
final class ClusterOverlay {
  private ClusterOverlay() {}

  static Optional<ClusterResource> decode(
      Cluster proto, ByteString bytes, DecodeContext context, FieldErrors errors) {
    Optional<ClusterResource> own = ClusterDecoder.decode(proto, bytes, context, errors);
    if (own.isEmpty() || !errors.isEmpty()) {
      return own;
    }
    List<ClusterRule> rules = context.overlay().clusterRules(proto.getName());
    if (rules.isEmpty()) {
      return own;
    }
    try {
      Cluster whole = Cluster.parseFrom(bytes); // proto lacks the map fields
      var result =
          Layers.lay(
              whole,
              own.get(),
              rules,
              (message, found) ->
                  ClusterDecoder.decode((Cluster) message, message.toByteString(), context, found));
      return Optional.of(withAlpn(result, rules));
    } catch (InvalidProtocolBufferException e) {
      errors.add("is not readable: " + e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Applies the setting {@code alpn} of the first rule that has it. Only overlay rules have this
   * setting; {@code Cluster} has no field {@code alpn}.
   */
  private static ClusterResource withAlpn(
      Layers.Result<ClusterResource> result, List<ClusterRule> rules) {
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
    return cluster.reach().tls().map(tls -> cluster.securedBy(tls.offering(alpn))).orElse(cluster);
  }
}
