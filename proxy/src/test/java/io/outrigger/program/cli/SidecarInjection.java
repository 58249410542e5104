package io.outrigger.program.cli;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.StructTypeReference;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the API server does with a MutatingAdmissionPolicy of one JSON patch: its CEL is compiled
 * with literals of one type, and {@code Object…} with the fields of a Pod, so that one that no Pod
 * has, or that belongs elsewhere, does not compile.
 */
final class SidecarInjection {
  private static final String OBJECT = "Object";
  private static final String PATCH = "JSONPatch";

  @SuppressWarnings("deprecation") // what takes its place is a library of its own
  private static final CelOptions OPTIONS =
      CelOptions.current().enableHomogeneousLiterals(true).build();

  private static final CelCompiler COMPILER =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setOptions(OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .setTypeProvider(new Types())
          .addVar("object", SimpleType.DYN)
          .addVar("variables", SimpleType.DYN)
          .build();

  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.plannerRuntimeBuilder()
          .setTypeProvider(new Types())
          .setValueProvider((type, fields) -> Optional.of(new LinkedHashMap<>(fields)))
          .build();

  private final JsonObject spec;

  SidecarInjection(JsonObject policy) {
    spec = policy.getAsJsonObject("spec");
  }

  /** The pod with the patch; empty when a condition keeps it as it is. */
  Optional<JsonObject> apply(JsonObject pod) throws CelValidationException, CelEvaluationException {
    Map<String, Object> variables = new HashMap<>();
    Map<String, Object> known = new HashMap<>(Map.of("object", plain(pod), "variables", variables));
    for (JsonElement condition : spec.getAsJsonArray("matchConditions")) {
      if (!(Boolean) evaluate(condition, known)) {
        return Optional.empty();
      }
    }
    for (JsonElement variable : spec.getAsJsonArray("variables")) {
      variables.put(
          variable.getAsJsonObject().get("name").getAsString(), evaluate(variable, known));
    }
    JsonObject patched = pod.deepCopy();
    for (JsonElement mutation : spec.getAsJsonArray("mutations")) {
      Object patch = evaluate(mutation.getAsJsonObject().get("jsonPatch"), known);
      for (JsonElement operation : (JsonArray) new Gson().toJsonTree(patch)) {
        add(patched, operation.getAsJsonObject());
      }
    }
    return Optional.of(patched);
  }

  private static Object evaluate(JsonElement holder, Map<String, Object> known)
      throws CelValidationException, CelEvaluationException {
    String expression = holder.getAsJsonObject().get("expression").getAsString();
    return RUNTIME.createProgram(COMPILER.compile(expression).getAst()).eval(known);
  }

  /** The one operation of RFC 6902 that is used. */
  private static void add(JsonObject target, JsonObject operation) {
    if (!operation.get("op").getAsString().equals("add")) {
      throw new AssertionError(operation + " is not known here");
    }
    List<String> path = List.of(operation.get("path").getAsString().split("/", -1));
    JsonElement parent = target;
    for (String name : path.subList(1, path.size() - 1)) {
      parent =
          parent instanceof JsonArray list
              ? list.get(Integer.parseInt(name))
              : parent.getAsJsonObject().get(name);
    }
    String last = path.get(path.size() - 1).replace("~1", "/");
    JsonElement value = operation.get("value");
    if (parent instanceof JsonArray list) {
      list.asList().add(last.equals("-") ? list.size() : Integer.parseInt(last), value);
    } else {
      parent.getAsJsonObject().add(last, value);
    }
  }

  /** As CEL has JSON. */
  private static Object plain(JsonElement value) {
    if (value instanceof JsonObject object) {
      Map<String, Object> map = new LinkedHashMap<>();
      object.entrySet().forEach(entry -> map.put(entry.getKey(), plain(entry.getValue())));
      return map;
    }
    if (value instanceof JsonArray list) {
      return list.asList().stream().map(SidecarInjection::plain).toList();
    }
    JsonPrimitive one = value.getAsJsonPrimitive();
    return one.isString() ? one.getAsString() : one.isBoolean() ? one.getAsBoolean() : number(one);
  }

  private static Object number(JsonPrimitive one) {
    return one.getAsDouble() == one.getAsLong() ? (Object) one.getAsLong() : one.getAsDouble();
  }

  /** {@code JSONPatch}, and {@code Object.spec.…} for each message of a Pod. */
  private static final class Types implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return ImmutableList.of();
    }

    @Override
    public Optional<CelType> findType(String name) {
      if (name.equals(PATCH)) {
        return Optional.of(
            StructType.create(
                PATCH,
                ImmutableSet.of("op", "path", "from", "value"),
                field -> Optional.of(field.equals("value") ? SimpleType.DYN : SimpleType.STRING)));
      }
      if (!name.equals(OBJECT) && !name.startsWith(OBJECT + ".")) {
        return Optional.empty();
      }
      return KubernetesModel.podFields(name.substring(OBJECT.length()))
          .map(fields -> struct(name, fields));
    }

    private static CelType struct(String name, Map<String, Type> fields) {
      var types = ImmutableMap.<String, CelType>builder();
      fields.forEach((field, type) -> types.put(field, type(name + "." + field, type)));
      ImmutableMap<String, CelType> all = types.buildOrThrow();
      return StructType.create(name, all.keySet(), field -> Optional.ofNullable(all.get(field)));
    }

    private static CelType type(String path, Type field) {
      if (KubernetesModel.messageIn(field).isEmpty()) {
        return SimpleType.DYN;
      }
      CelType message = StructTypeReference.create(path);
      return field instanceof ParameterizedType ? ListType.create(message) : message;
    }
  }
}
