package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.RandomSubsetting;
import java.util.List;
import java.util.Optional;

/** Decodes {@code random_subsetting}: a child policy for a random subset of the endpoints (A68). */
final class RandomSubsettingDecoder {
  private static final int SUBSET_SIZE = 1;
  private static final int CHILD_POLICY = 2;

  static final PolicyDecoder DECODER =
      new PolicyDecoder(
          RandomSubsettingMessage.TYPE,
          RandomSubsettingDecoder::decode,
          new PolicyDecoder.Custom(
              "random_subsetting_experimental", RandomSubsettingDecoder::decode));

  private RandomSubsettingDecoder() {}

  private static Optional<BalancingPolicy> decode(
      TypedConfig config, PolicyDecoder.Children children, FieldErrors errors) {
    try {
      var fields = UnknownFieldSet.parseFrom(config.bytes());
      Optional<Long> size = Optional.empty();
      if (fields.hasField(SUBSET_SIZE)) { // wrapped as in Envoy, or a plain number as in A68
        var wrapped = UInt32Value.parseFrom(bytes(fields, SUBSET_SIZE));
        List<Long> plain = fields.getField(SUBSET_SIZE).getVarintList();
        int last = plain.isEmpty() ? wrapped.getValue() : plain.get(plain.size() - 1).intValue();
        size = Optional.of(Integer.toUnsignedLong(last));
      }
      FieldErrors atChild = errors.at("child_policy");
      Optional<BalancingPolicy> child = Optional.empty();
      if (fields.hasField(CHILD_POLICY)) {
        ByteString policy = bytes(fields, CHILD_POLICY);
        child = children.decode(LoadBalancingPolicy.parseFrom(policy), atChild);
      } else {
        atChild.add("is missing");
      }
      return of(checked(size, errors.at("subset_size")), child);
    } catch (InvalidProtocolBufferException e) {
      return errors.refuse("not a readable " + config.typeName() + ": " + e.getMessage());
    }
  }

  /** Joins the bytes of two occurrences of a message field; the parser then merges the messages. */
  private static ByteString bytes(UnknownFieldSet fields, int number) {
    return ByteString.copyFrom(fields.getField(number).getLengthDelimitedList());
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
      return atSize.refuse("is " + size.get() + "; must be 1 to " + RandomSubsetting.LARGEST);
    }
    return size;
  }

  private static Optional<BalancingPolicy> of(
      Optional<Long> size, Optional<BalancingPolicy> child) {
    return size.flatMap(given -> child.map(policy -> new RandomSubsetting(given, policy)));
  }
}
