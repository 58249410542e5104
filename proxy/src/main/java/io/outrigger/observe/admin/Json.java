package io.outrigger.observe.admin;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import com.google.gson.stream.JsonWriter;
import io.outrigger.base.DurationText;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.http2.PeerErrors;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.observe.events.EventKind;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to JSON. A record becomes an object whose members are its components in snake
 * case; an empty {@link Optional} becomes null. Times, addresses and localities become their texts;
 * a status becomes its message.
 */
final class Json {
  private static final Gson GSON = gson();

  private Json() {}

  private static Gson gson() {
    var builder =
        new GsonBuilder()
            .disableHtmlEscaping()
            .serializeNulls()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .registerTypeHierarchyAdapter(
                Optional.class,
                (JsonSerializer<Optional<?>>)
                    (value, type, gson) ->
                        value.<JsonElement>map(gson::serialize).orElse(JsonNull.INSTANCE))
            .registerTypeHierarchyAdapter(
                RpcStatus.class,
                (JsonSerializer<RpcStatus>)
                    (status, type, gson) -> new JsonPrimitive(status.message()))
            .registerTypeAdapter(
                Duration.class,
                (JsonSerializer<Duration>)
                    (time, type, gson) -> new JsonPrimitive(DurationText.format(time)));
    for (Class<?> type :
        List.of(Instant.class, Path.class, Locality.class, EndpointAddress.class)) {
      builder.registerTypeHierarchyAdapter(
          type, (JsonSerializer<Object>) (value, of, gson) -> new JsonPrimitive(value.toString()));
    }
    for (Class<?> word :
        List.of(
            EventKind.class,
            OutlierEvent.Method.class,
            OutlierEvent.UnenforcedReason.class,
            PeerErrors.Side.class)) {
      builder.registerTypeAdapter(
          word, (JsonSerializer<Enum<?>>) (value, of, gson) -> new JsonPrimitive(word(value)));
    }
    return builder.create();
  }

  static JsonElement tree(@Nullable Object value) {
    return value instanceof JsonElement json ? json : GSON.toJsonTree(value);
  }

  /** Returns an object; {@code members} are alternately names and values. */
  static JsonObject object(@Nullable Object... members) {
    var object = new JsonObject();
    for (int i = 0; i < members.length; i += 2) {
      object.add(String.valueOf(members[i]), tree(members[i + 1]));
    }
    return object;
  }

  static JsonElement parsed(String json) {
    return JsonParser.parseString(json);
  }

  static void write(Object value, JsonWriter json) {
    GSON.toJson(value, value.getClass(), json);
  }

  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
