package io.outrigger.xds.decode;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.outrigger.config.cluster.BalancingPolicy;
import java.math.BigDecimal;
import java.util.Optional;

/**
 * Reads the configuration of a policy in the form of a service config. A field of the wrong type
 * adds an error and counts as absent.
 */
record ServiceConfig(Struct config, FieldErrors errors, Children children) {
  @FunctionalInterface
  interface Children {
    Optional<BalancingPolicy> decode(ListValue policies, String field, FieldErrors errors);
  }

  FieldErrors at(String field) {
    return errors.at(field);
  }

  private Value value(String field) {
    return config.getFieldsOrDefault(field, Value.getDefaultInstance());
  }

  /** Reads the configuration as a message with fields of the same names; empty if invalid. */
  <M extends Message> Optional<M> read(M prototype) {
    String name = prototype.getDescriptorForType().getFullName();
    return new TypedConfig(name, ByteString.EMPTY, Optional.of(config)).read(prototype, errors);
  }

  String text(String field) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case STRING_VALUE -> value.getStringValue();
      case KIND_NOT_SET, NULL_VALUE -> "";
      default -> {
        at(field).add("is not a text");
        yield "";
      }
    };
  }

  /** Reads a whole number, which may be a JSON number or a string. */
  Optional<Long> number(String field) {
    Value value = value(field);
    try {
      return switch (value.getKindCase()) {
        case NUMBER_VALUE ->
            Optional.of(BigDecimal.valueOf(value.getNumberValue()).longValueExact());
        case STRING_VALUE -> Optional.of(Long.parseLong(value.getStringValue()));
        case KIND_NOT_SET, NULL_VALUE -> Optional.empty();
        default -> at(field).refuse("is not a whole number");
      };
    } catch (ArithmeticException | NumberFormatException notWhole) {
      return at(field).refuse("is not a whole number");
    }
  }

  /** Decodes the child policy from the list in a field; a missing list is an error. */
  Optional<BalancingPolicy> policy(String field) {
    Value value = value(field);
    return switch (value.getKindCase()) {
      case LIST_VALUE -> children.decode(value.getListValue(), field, errors);
      case KIND_NOT_SET, NULL_VALUE -> at(field).refuse("is missing");
      default -> at(field).refuse("is not a list of policies");
    };
  }
}
