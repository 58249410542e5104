package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Duration;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Durations;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.LeastRequest;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A policy by the name that gRPC's registry knows it by, with its configuration in the form of a
 * service config; control planes put both into a TypedStruct (A52).
 */
final class CustomPolicyDecoder {
  private static final String ROUND_ROBIN = "round_robin";
  private static final String PICK_FIRST = "pick_first";
  private static final String RING_HASH = "ring_hash_experimental";
  private static final String LEAST_REQUEST = "least_request_experimental";
  private static final String WEIGHTED_ROUND_ROBIN = "weighted_round_robin";

  /** A service config's own default; in xDS it is larger (A42 "LB Policy Config"). */
  private static final long DEFAULT_MAX_RING_SIZE = 4096;

  private final Struct config;
  private final FieldErrors errors;
  private final int before;

  private CustomPolicyDecoder(Struct config, FieldErrors errors) {
    this.config = config;
    this.errors = errors.at("value");
    before = errors.count();
  }

  static boolean isSupported(String name) {
    return switch (name) {
      case ROUND_ROBIN, PICK_FIRST, RING_HASH, LEAST_REQUEST, WEIGHTED_ROUND_ROBIN -> true;
      default -> false;
    };
  }

  /** The policy called {@code name}, which is supported. */
  static Optional<BalancingPolicy> decode(String name, Struct config, FieldErrors errors) {
    var decoder = new CustomPolicyDecoder(config, errors);
    Optional<BalancingPolicy> policy =
        switch (name) {
          case ROUND_ROBIN -> Optional.of(new BalancingPolicy.RoundRobin());
          case PICK_FIRST ->
              Optional.of(new BalancingPolicy.PickFirst(decoder.flag("shuffleAddressList")));
          case RING_HASH -> decoder.ringHash();
          case LEAST_REQUEST ->
              PolicySettingsDecoder.leastRequest(
                  decoder.number("choiceCount").orElse((long) LeastRequest.DEFAULT_CHOICES),
                  decoder.errors.at("choiceCount"));
          case WEIGHTED_ROUND_ROBIN -> decoder.weightedRoundRobin();
          default -> throw new AssertionError(name);
        };
    return decoder.errors.count() > decoder.before ? Optional.empty() : policy;
  }

  private Optional<BalancingPolicy> ringHash() {
    return PolicySettingsDecoder.ringHash(
        number("minRingSize"),
        errors.at("minRingSize"),
        number("maxRingSize").orElse(DEFAULT_MAX_RING_SIZE),
        errors.at("maxRingSize"),
        hashHeader());
  }

  /** A76: the name of a header that a policy may see; empty when there is none. */
  private String hashHeader() {
    String name = text("requestHashHeader").toLowerCase(Locale.ROOT);
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean legal = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "_-.".indexOf(c) >= 0;
      if (!legal) {
        fail("requestHashHeader", quoted(name) + " is not the name of a header");
        return "";
      }
    }
    if (name.endsWith("-bin")) {
      fail("requestHashHeader", quoted(name) + " is a binary header, which has no text to hash");
    }
    return name;
  }

  private Optional<BalancingPolicy> weightedRoundRobin() {
    return PolicySettingsDecoder.weightedRoundRobin(
        new WeightedRoundRobin(
            flag("enableOobLoadReport"),
            duration("oobReportingPeriod", WeightedRoundRobin.DEFAULT_OOB_PERIOD),
            duration("blackoutPeriod", WeightedRoundRobin.DEFAULT_BLACKOUT),
            duration("weightExpirationPeriod", WeightedRoundRobin.DEFAULT_EXPIRATION),
            duration("weightUpdatePeriod", WeightedRoundRobin.DEFAULT_UPDATE_PERIOD),
            decimal("errorUtilizationPenalty", WeightedRoundRobin.DEFAULT_ERROR_PENALTY),
            texts("metricNamesForComputingUtilization")),
        errors.at("errorUtilizationPenalty"));
  }

  private void fail(String field, String reason) {
    errors.at(field).add(reason);
  }

  private Value value(String field) {
    return config.getFieldsOrDefault(field, Value.getDefaultInstance());
  }

  private boolean flag(String field) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case BOOL_VALUE -> value.getBoolValue();
      case KIND_NOT_SET, NULL_VALUE -> false;
      default -> {
        fail(field, "is not true or false");
        yield false;
      }
    };
  }

  private String text(String field) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case STRING_VALUE -> value.getStringValue();
      case KIND_NOT_SET, NULL_VALUE -> "";
      default -> {
        fail(field, "is not a text");
        yield "";
      }
    };
  }

  private List<String> texts(String field) {
    var texts = new ArrayList<String>();
    for (Value value : value(field).getListValue().getValuesList()) {
      if (value.hasStringValue()) {
        texts.add(value.getStringValue());
      } else {
        fail(field, "is not a list of texts");
      }
    }
    return texts;
  }

  /** A whole number, which JSON may write as a text. */
  private Optional<Long> number(String field) {
    Value value = value(field);
    switch (value.getKindCase()) {
      case NUMBER_VALUE -> {
        double number = value.getNumberValue();
        if (number == Math.rint(number) && Math.abs(number) <= Long.MAX_VALUE) {
          return Optional.of((long) number);
        }
      }
      case STRING_VALUE -> {
        try {
          return Optional.of(Long.parseLong(value.getStringValue()));
        } catch (NumberFormatException notANumber) {
          // told below
        }
      }
      case KIND_NOT_SET, NULL_VALUE -> {
        return Optional.empty();
      }
      default -> {}
    }
    fail(field, "is not a whole number");
    return Optional.empty();
  }

  private double decimal(String field, double otherwise) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case NUMBER_VALUE -> value.getNumberValue();
      case KIND_NOT_SET, NULL_VALUE -> otherwise;
      default -> {
        fail(field, "is not a number");
        yield otherwise;
      }
    };
  }

  private java.time.Duration duration(String field, java.time.Duration otherwise) {
    String text = text(field);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      Duration parsed = Durations.parse(text);
      return ProtoDurations.decode(parsed, errors.at(field)).orElse(otherwise);
    } catch (ParseException e) {
      fail(field, quoted(text) + " is not a duration such as 1.5s");
      return otherwise;
    }
  }
}
