package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.annotations.SerializedName;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The messages of Kubernetes' API, by the classes that its Java client has generated for them, and
 * the strict reading of the API server: a field that is unknown, missing or of another type is an
 * error, and so is a word that is not one of an enumeration.
 */
final class KubernetesModel {
  private static final String CLASSES = "io.kubernetes.client.openapi.models.V1";
  private static final Pattern QUANTITY = Pattern.compile("[0-9]+(\\.[0-9]+)?(m|k|[KMGT]i?)?");

  private static final Map<String, Set<String>> KINDS =
      Map.of(
          "v1", Set.of("ConfigMap", "Pod", "Service", "ServiceAccount"),
          "apps/v1", Set.of("DaemonSet", "Deployment", "StatefulSet"),
          "batch/v1", Set.of("Job"),
          "rbac.authorization.k8s.io/v1", Set.of("Role", "RoleBinding"),
          "admissionregistration.k8s.io/v1",
              Set.of("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"));

  /** The enumerations that the client has as plain strings. */
  private static final Map<String, Set<String>> WORDS =
      Map.ofEntries(
          Map.entry("V1Container.imagePullPolicy", Set.of("Always", "IfNotPresent", "Never")),
          Map.entry("V1Container.restartPolicy", Set.of("Always", "Never", "OnFailure")),
          Map.entry(
              "V1Container.terminationMessagePolicy", Set.of("File", "FallbackToLogsOnError")),
          Map.entry("V1ContainerPort.protocol", Set.of("TCP", "UDP", "SCTP")),
          Map.entry("V1HTTPGetAction.scheme", Set.of("HTTP", "HTTPS")),
          Map.entry("V1PodSpec.restartPolicy", Set.of("Always", "Never", "OnFailure")),
          Map.entry("V1SeccompProfile.type", Set.of("RuntimeDefault", "Localhost", "Unconfined")),
          Map.entry("V1Mutation.patchType", Set.of("ApplyConfiguration", "JSONPatch")),
          Map.entry("V1MutatingAdmissionPolicySpec.failurePolicy", Set.of("Fail", "Ignore")),
          Map.entry(
              "V1MutatingAdmissionPolicySpec.reinvocationPolicy", Set.of("Never", "IfNeeded")),
          Map.entry(
              "V1NamedRuleWithOperations.operations",
              Set.of("CREATE", "UPDATE", "DELETE", "CONNECT", "*")));

  private KubernetesModel() {}

  /** What the API server would refuse in {@code object}, one line each. */
  static List<String> errors(JsonObject object) {
    String version = text(object, "apiVersion");
    String kind = text(object, "kind");
    if (!KINDS.getOrDefault(version, Set.of()).contains(kind)) {
      return List.of("no kind \"" + kind + "\" in \"" + version + "\"");
    }
    List<String> errors = new ArrayList<>();
    check(object, message(kind), kind, kind, errors);
    return errors;
  }

  /**
   * The fields of a message inside of a Pod, with their types.
   *
   * @param path such as {@code .spec.initContainers}, which stands for the elements of the list;
   *     empty for the Pod
   * @return nothing when there is no such message
   */
  static Optional<Map<String, Type>> podFields(String path) {
    Optional<Class<?>> type = Optional.of(message("Pod"));
    for (String name : path.isEmpty() ? new String[0] : path.substring(1).split("\\.", -1)) {
      type = type.map(KubernetesModel::fields).map(of -> of.get(name)).flatMap(m -> messageIn(m));
    }
    return type.map(KubernetesModel::fields);
  }

  /** The message that a field holds, one or a list of them. */
  static Optional<Class<?>> messageIn(Type field) {
    if (field instanceof ParameterizedType generic && generic.getRawType() == List.class) {
      return messageIn(generic.getActualTypeArguments()[0]);
    }
    return field instanceof Class<?> one && isMessage(one) ? Optional.of(one) : Optional.empty();
  }

  private static void check(
      JsonElement value, Type type, String path, String owner, List<String> errors) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      if (generic.getRawType() == List.class && value instanceof JsonArray list) {
        for (int i = 0; i < list.size(); i++) {
          check(list.get(i), of[0], path + "[" + i + "]", owner, errors);
        }
      } else if (generic.getRawType() == Map.class && value instanceof JsonObject map) {
        map.entrySet()
            .forEach(e -> check(e.getValue(), of[1], path + "." + e.getKey(), "", errors));
      } else {
        errors.add(path + ": is no " + type);
      }
    } else if (type instanceof Class<?> scalar && !isMessage(scalar)) {
      if (!(value instanceof JsonPrimitive primitive) || !fits(primitive, scalar)) {
        errors.add(path + ": " + value + " is no " + scalar.getSimpleName());
      } else if (WORDS.containsKey(owner) && !WORDS.get(owner).contains(primitive.getAsString())) {
        errors.add(path + ": " + value + " is none of " + WORDS.get(owner));
      }
    } else if (value instanceof JsonObject object) {
      checkFields(object, (Class<?>) type, path, errors);
    } else {
      errors.add(path + ": is no object");
    }
  }

  private static void checkFields(
      JsonObject object, Class<?> message, String path, List<String> errors) {
    Map<String, Type> fields = fields(message);
    for (String name : object.keySet()) {
      if (fields.containsKey(name)) {
        String owner = message.getSimpleName() + "." + name;
        check(object.get(name), fields.get(name), path + "." + name, owner, errors);
      } else {
        errors.add(path + "." + name + ": is unknown");
      }
    }
    for (String name : required(message)) {
      if (!object.has(name)) {
        errors.add(path + "." + name + ": is missing");
      }
    }
  }

  private static boolean fits(JsonPrimitive value, Class<?> type) {
    return switch (type.getSimpleName()) {
      case "String" -> value.isString();
      case "Boolean" -> value.isBoolean();
      case "Integer", "Long" -> isWhole(value);
      case "IntOrString" -> value.isString() || isWhole(value);
      case "Quantity" -> QUANTITY.matcher(value.getAsString()).matches();
      default -> throw new AssertionError("a field of type " + type + " has no rule here");
    };
  }

  private static boolean isWhole(JsonPrimitive value) {
    return value.isNumber() && value.getAsDouble() == value.getAsLong();
  }

  private static boolean isMessage(Class<?> type) {
    return type.getPackageName().endsWith(".models");
  }

  private static Map<String, Type> fields(Class<?> message) {
    Map<String, Type> fields = new LinkedHashMap<>();
    for (Field field : message.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        fields.put(field.getAnnotation(SerializedName.class).value(), field.getGenericType());
      }
    }
    return fields;
  }

  private static List<String> required(Class<?> message) {
    try {
      Object names = message.getField("openapiRequiredFields").get(null);
      return Arrays.asList(((Set<?>) names).toArray(new String[0]));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the client of Kubernetes is another one", e);
    }
  }

  private static Class<?> message(String kind) {
    try {
      return Class.forName(CLASSES + kind);
    } catch (ClassNotFoundException e) {
      throw new LinkageError("the client of Kubernetes is another one", e);
    }
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }
}
