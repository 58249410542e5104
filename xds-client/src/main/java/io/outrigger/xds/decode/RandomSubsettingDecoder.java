package io.outrigger.xds.decode;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.RandomSubsetting;
import java.util.Optional;

/**
 * Decodes {@code random_subsetting}, which applies a child policy to a random subset of the
 * endpoints (A68).
 */
final class RandomSubsettingDecoder implements PolicyDecoder {
  @Override
  public String typeName() {
    return RandomSubsettingMessage.TYPE;
  }

  @Override
  public Optional<BalancingPolicy> decode(
      TypedConfig config, Children children, FieldErrors errors) {
    return RandomSubsettingMessage.read(config, errors)
        .flatMap(message -> decode(message, children, errors));
  }

  private static Optional<BalancingPolicy> decode(
      RandomSubsettingMessage message, Children children, FieldErrors errors) {
    Optional<Long> size =
        message.subsetSize().map(given -> Integer.toUnsignedLong(given.getValue()));
    FieldErrors atChild = errors.at("child_policy");
    if (message.childPolicy().isEmpty()) {
      atChild.add("is missing");
    }
    return of(
        checked(size, errors.at("subset_size")),
        message.childPolicy().flatMap(child -> children.decode(child, atChild)));
  }

  @Override
  public Optional<Custom> custom() {
    return Optional.of(
        new Custom("random_subsetting_experimental", RandomSubsettingDecoder::decode));
  }

  private static Optional<BalancingPolicy> decode(ServiceConfig config) {
    FieldErrors atSize = config.at("subsetSize");
    int before = atSize.count();
    Optional<Long> size = config.number("subsetSize");
    return of(
        atSize.count() > before ? Optional.empty() : checked(size, atSize),
        config.policy("childPolicy"));
  }

  private static Optional<Long> checked(Optional<Long> size, FieldErrors atSize) {
    if (size.isEmpty()) {
      atSize.add("is missing; must be at least 1");
    } else if (size.get() < 1 || size.get() > RandomSubsetting.LARGEST) {
      atSize.add("is " + size.get() + "; must be 1 to " + RandomSubsetting.LARGEST);
      return Optional.empty();
    }
    return size;
  }

  private static Optional<BalancingPolicy> of(
      Optional<Long> size, Optional<BalancingPolicy> child) {
    return size.flatMap(given -> child.map(policy -> new RandomSubsetting(given, policy)));
  }
}
