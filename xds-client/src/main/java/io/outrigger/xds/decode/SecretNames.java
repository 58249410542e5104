package io.outrigger.xds.decode;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Recognizes the names of secrets: names of headers, of metadata, and of proto fields that the
 * proto files do not mark as sensitive.
 */
@AnyThread
public final class SecretNames {
  static final String REDACTED = "[redacted]";

  private static final Value REDACTED_VALUE = Value.newBuilder().setStringValue(REDACTED).build();

  /**
   * Matches secret names of headers and metadata. Users choose names of headers and metadata, so
   * the pattern is broad.
   */
  private static final Pattern SECRET =
      Pattern.compile(
          "token|passw(or)?d|passphrase|secret|credential|(api|private|access|json)[-_.]?key"
              + "|authorization|cookie",
          Pattern.CASE_INSENSITIVE);

  /**
   * Matches secret names of proto fields with strings or bytes. The pattern excludes fields that
   * hold only the name of a secret, a file or a header.
   */
  private static final Pattern SECRET_FIELD =
      Pattern.compile(
          "(.*_)?(access_token|refresh_token|authorization_token|id_token|password|passphrase"
              + "|api_key|private_key|json_key|client_secret)");

  /**
   * The members of a {@code Struct} that give the name of the value in the member {@link #VALUE}.
   */
  private static final List<String> NAMES = List.of("key", "name", "header", "header_name");

  private static final String VALUE = "value";

  private SecretNames() {}

  static boolean isSecret(String name) {
    return SECRET.matcher(name).find();
  }

  static boolean isSecretField(String name) {
    return SECRET_FIELD.matcher(name).matches();
  }

  /**
   * Returns a copy of {@code struct} in which the values of members with secret names are redacted.
   */
  public static Struct withoutSecrets(Struct struct) {
    boolean valueIsSecret = NAMES.stream().anyMatch(name -> isSecret(textOf(struct, name)));
    var shown = Struct.newBuilder();
    struct
        .getFieldsMap()
        .forEach(
            (name, value) -> {
              boolean hide = isSecret(name) || (valueIsSecret && name.equals(VALUE));
              shown.putFields(name, hide ? REDACTED_VALUE : withoutSecrets(value));
            });
    return shown.build();
  }

  private static String textOf(Struct struct, String member) {
    return struct.getFieldsOrDefault(member, Value.getDefaultInstance()).getStringValue();
  }

  private static Value withoutSecrets(Value value) {
    if (value.hasStructValue()) {
      return Value.newBuilder().setStructValue(withoutSecrets(value.getStructValue())).build();
    }
    if (value.hasListValue()) {
      var list = ListValue.newBuilder();
      value.getListValue().getValuesList().forEach(each -> list.addValues(withoutSecrets(each)));
      return Value.newBuilder().setListValue(list).build();
    }
    return value;
  }
}
