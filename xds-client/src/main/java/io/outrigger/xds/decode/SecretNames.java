package io.outrigger.xds.decode;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.outrigger.base.AnyThread;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Names that say that what stands under them is a secret: of headers, of metadata, and of fields
 * that the proto files fail to mark.
 */
@AnyThread
@SuppressWarnings("ReferenceEquality") // what has no secret is returned as it is
public final class SecretNames {
  static final String REDACTED = "[redacted]";

  /** Of headers and metadata, which anybody names. */
  private static final Pattern SECRET =
      Pattern.compile(
          "token|passw(or)?d|passphrase|secret|credential|(api|private|access|json)[-_.]?key"
              + "|authorization|cookie",
          Pattern.CASE_INSENSITIVE);

  /** Of fields that hold texts or bytes: names of secrets, of files and of headers are none. */
  private static final Pattern SECRET_FIELD =
      Pattern.compile(
          "(.*_)?(access_token|refresh_token|authorization_token|id_token|password|passphrase"
              + "|api_key|private_key|json_key|client_secret)");

  /** Members that give the name of what stands in {@link #VALUE} beside them. */
  private static final List<String> NAMES = List.of("key", "name", "header", "header_name");

  private static final String VALUE = "value";

  private SecretNames() {}

  /** Whether a header or a member of this name is for nobody to see. */
  static boolean isSecret(String name) {
    return SECRET.matcher(name).find();
  }

  static boolean isSecretField(String name) {
    return SECRET_FIELD.matcher(name).matches();
  }

  /** {@code struct} without the values of members with such names; itself when it has none. */
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
