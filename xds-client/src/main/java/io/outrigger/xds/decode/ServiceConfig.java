package io.outrigger.xds.decode;

import static io.outrigger.xds.decode.FieldErrors.quoted;

import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.Durations;
import io.outrigger.config.cluster.BalancingPolicy;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the configuration of a policy in the form of a service config. All fields are optional and
 * have names in lower camel case. A field of the wrong type adds an error and reads as absent.
 */
final class ServiceConfig {
  private final Struct config;
  private final FieldErrors errors;
  private final Children children;

  /** Decodes the list of child policies in {@code field} of a policy's configuration. */
  @FunctionalInterface
  interface Children {
    Optional<BalancingPolicy> decode(ListValue policies, String field, FieldErrors errors);
  }

  /**
   * @param errors the errors of the whole configuration
   * @param children decodes the child policies
   */
  ServiceConfig(Struct config, FieldErrors errors, Children children) {
    this.config = config;
    this.errors = errors;
    this.children = children;
  }

  /** Returns the error collector for {@code field}. */
  FieldErrors at(String field) {
    return errors.at(field);
  }

  private void fail(String field, String reason) {
    at(field).add(reason);
  }

  private Value value(String field) {
    return config.getFieldsOrDefault(field, Value.getDefaultInstance());
  }

  boolean flag(String field) {
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

  String text(String field) {
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

  List<String> texts(String field) {
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

  /** Reads a whole number, which JSON may also give as a string. */
  Optional<Long> number(String field) {
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
          // reported below
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

  double decimal(String field, double otherwise) {
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

  /** Decodes the child policy from the list in {@code field}; a missing list is an error. */
  Optional<BalancingPolicy> policy(String field) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case LIST_VALUE -> children.decode(value.getListValue(), field, errors);
      case KIND_NOT_SET, NULL_VALUE -> {
        fail(field, "is missing");
        yield Optional.empty();
      }
      default -> {
        fail(field, "is not a list of policies");
        yield Optional.empty();
      }
    };
  }

  java.time.Duration duration(String field, java.time.Duration otherwise) {
    String text = text(field);
    if (text.isEmpty()) {
      return otherwise;
    }
    try {
      Duration parsed = Durations.parse(text);
      return ProtoDurations.orZero(parsed, errors.at(field)).orElse(otherwise);
    } catch (ParseException e) {
      fail(field, quoted(text) + " is not a duration such as 1.5s");
      return otherwise;
    }
  }
}
