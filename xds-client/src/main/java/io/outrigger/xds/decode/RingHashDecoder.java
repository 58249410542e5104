package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.Cluster.RingHashLbConfig;
import io.envoyproxy.envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash;
import io.outrigger.config.cluster.BalancingPolicy;
import java.util.Locale;
import java.util.Optional;

/** Decodes {@code ring_hash} (A42, A76). */
final class RingHashDecoder {
  static final String TYPE = "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash";

  /** The default maximum ring size in a service config; the default in xDS is larger (A42). */
  private static final long CUSTOM_MAX_SIZE = 4096;

  static final PolicyDecoder DECODER =
      new PolicyDecoder(
              TYPE,
              (config, children, errors) ->
                  config
                      .read(RingHash.getDefaultInstance(), errors)
                      .flatMap(proto -> decode(proto, errors)),
              new PolicyDecoder.Custom("ring_hash_experimental", RingHashDecoder::decode))
          .orLegacy(
              Cluster.LbPolicy.RING_HASH,
              (cluster, errors) ->
                  decode(cluster.getRingHashLbConfig(), errors.at("ring_hash_lb_config")));

  private RingHashDecoder() {}

  private static Optional<BalancingPolicy> decode(RingHash proto, FieldErrors errors) {
    return decode(
        proto.getHashFunction(),
        size(proto.hasMinimumRingSize(), proto.getMinimumRingSize()),
        size(proto.hasMaximumRingSize(), proto.getMaximumRingSize()),
        errors);
  }

  private static Optional<BalancingPolicy> decode(ServiceConfig config) {
    return decode(
        config.number("minRingSize"),
        config.at("minRingSize"),
        config.number("maxRingSize").orElse(CUSTOM_MAX_SIZE),
        config.at("maxRingSize"),
        hashHeader(config));
  }

  /** Decodes {@code requestHashHeader}, the name of a text header; empty if unset (A76). */
  private static String hashHeader(ServiceConfig config) {
    String name = config.text("requestHashHeader").toLowerCase(Locale.ROOT);
    FieldErrors here = config.at("requestHashHeader");
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean legal = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "_-.".indexOf(c) >= 0;
      if (!legal) {
        here.add(quoted(name) + " is not the name of a header");
        return "";
      }
    }
    if (name.endsWith("-bin")) {
      here.add(quoted(name) + " is a binary header, which has no text to hash");
    }
    return name;
  }

  private static Optional<BalancingPolicy> decode(RingHashLbConfig proto, FieldErrors errors) {
    return decode(
        proto.getHashFunction(),
        size(proto.hasMinimumRingSize(), proto.getMinimumRingSize()),
        size(proto.hasMaximumRingSize(), proto.getMaximumRingSize()),
        errors);
  }

  private static Optional<Long> size(boolean present, UInt64Value proto) {
    return present ? Optional.of(proto.getValue()) : Optional.empty();
  }

  private static Optional<BalancingPolicy> decode(
      Enum<?> hashFunction, Optional<Long> min, Optional<Long> max, FieldErrors errors) {
    if (!hashFunction.name().equals("XX_HASH")) { // A52 does not allow DEFAULT_HASH either
      return errors.at("hash_function").refuse(hashFunction + " is not supported; must be XX_HASH");
    }
    return decode(
        min,
        errors.at("minimum_ring_size"),
        max.orElse(BalancingPolicy.RingHash.LARGEST),
        errors.at("maximum_ring_size"),
        "");
  }

  /** Checks the ring sizes, which are unsigned numbers; see {@link BalancingPolicy.RingHash}. */
  private static Optional<BalancingPolicy> decode(
      Optional<Long> min, FieldErrors atMin, long max, FieldErrors atMax, String hashHeader) {
    long minSize = min.orElse(BalancingPolicy.RingHash.DEFAULT_MIN_SIZE);
    boolean minIsLegal = isLegalSize(minSize, atMin);
    boolean maxIsLegal = isLegalSize(max, atMax);
    if (!minIsLegal || !maxIsLegal) {
      return Optional.empty();
    }
    if (minSize > max) {
      return atMin.refuse("is " + minSize + ", above the maximum of " + max);
    }
    return Optional.of(new BalancingPolicy.RingHash(minSize, max, hashHeader));
  }

  private static boolean isLegalSize(long size, FieldErrors errors) {
    if (size >= 1 && size <= BalancingPolicy.RingHash.LARGEST) {
      return true;
    }
    errors.add(
        "is " + Long.toUnsignedString(size) + "; must be 1 to " + BalancingPolicy.RingHash.LARGEST);
    return false;
  }
}
