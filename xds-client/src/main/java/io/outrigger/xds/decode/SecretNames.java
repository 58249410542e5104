package io.outrigger.xds.decode;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Recognizes the names of secrets: names of headers, of metadata, and of proto fields that the
 * proto files do not mark as sensitive.
 */
@AnyThread
@SuppressWarnings("ReferenceEquality") // a value without secrets is returned as the same object
public final class SecretNames {
  static final String REDACTED = "[redacted]";

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

  /** Whether a header or a member with this name holds a secret. */
  static boolean isSecret(String name) {
    return SECRET.matcher(name).find();
  }

  static boolean isSecretField(String name) {
    return SECRET_FIELD.matcher(name).matches();
  }

  /**
   * Returns a copy of {@code struct} in which the values of members with secret names are redacted,
   * or {@code struct} itself if it has no such member.
   */
  public static Struct withoutSecrets(Struct struct) {
    boolean valueIsSecret = NAMES.stream().anyMatch(name -> isSecret(textOf(struct, name)));
    Struct.Builder shown = null;
    for (Map.Entry<String, Value> member : struct.getFieldsMap().entrySet()) {
      Value before = member.getValue();
      Value after =
          isSecret(member.getKey()) || (valueIsSecret && member.getKey().equals(VALUE))
              ? Value.newBuilder().setStringValue(REDACTED).build()
              : withoutSecrets(before);
      if (after != before) {
        shown = shown == null ? struct.toBuilder() : shown;
        shown.putFields(member.getKey(), after);
      }
    }
    return shown == null ? struct : shown.build();
  }

  private static String textOf(Struct struct, String member) {
    return struct.getFieldsOrDefault(member, Value.getDefaultInstance()).getStringValue();
  }

  private static Value withoutSecrets(Value value) {
    if (value.hasStructValue()) {
      Struct before = value.getStructValue();
      Struct after = withoutSecrets(before);
      return after == before ? value : Value.newBuilder().setStructValue(after).build();
    }
    if (value.hasListValue()) {
      ListValue before = value.getListValue();
      ListValue after = withoutSecrets(before);
      return after == before ? value : Value.newBuilder().setListValue(after).build();
    }
    return value;
  }

  private static ListValue withoutSecrets(ListValue list) {
    ListValue.Builder shown = null;
    for (int i = 0; i < list.getValuesCount(); i++) {
      Value before = list.getValues(i);
      Value after = withoutSecrets(before);
      if (after != before) {
        shown = shown == null ? list.toBuilder() : shown;
        shown.setValues(i, after);
      }
    }
    return shown == null ? list : shown.build();
  }
}
