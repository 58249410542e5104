package io.outrigger.program.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The profile <em>restricted</em> of Kubernetes' Pod Security Standards, that of the baseline
 * included, control by control.
 */
final class PodSecurity {
  private static final Set<String> VOLUMES =
      Set.of(
          "configMap",
          "csi",
          "downwardAPI",
          "emptyDir",
          "ephemeral",
          "persistentVolumeClaim",
          "projected",
          "secret");
  private static final Set<String> SYSCTLS =
      Set.of(
          "kernel.shm_rmid_forced",
          "net.ipv4.ip_local_port_range",
          "net.ipv4.ip_local_reserved_ports",
          "net.ipv4.ip_unprivileged_port_start",
          "net.ipv4.ping_group_range",
          "net.ipv4.tcp_fin_timeout",
          "net.ipv4.tcp_keepalive_intvl",
          "net.ipv4.tcp_keepalive_probes",
          "net.ipv4.tcp_keepalive_time",
          "net.ipv4.tcp_rmem",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.tcp_wmem");
  private static final Set<String> SE_LINUX_TYPES =
      Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");
  private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");
  private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

  private final List<String> violations = new ArrayList<>();
  private final JsonObject metadata;
  private final JsonObject spec;

  private PodSecurity(JsonObject pod) {
    metadata = object(pod, "metadata");
    spec = object(pod, "spec");
  }

  /** What the pod violates, one line each. */
  static List<String> violations(JsonObject pod) {
    var security = new PodSecurity(pod);
    security.checkPod();
    return security.violations;
  }

  private void checkPod() {
    JsonObject context = object(spec, "securityContext");
    for (String namespace : List.of("hostNetwork", "hostPID", "hostIPC")) {
      require(!is(spec, namespace), namespace);
    }
    for (JsonElement volume : list(spec, "volumes")) {
      for (String type : volume.getAsJsonObject().keySet()) {
        require(type.equals("name") || VOLUMES.contains(type), "volume of type " + type);
      }
    }
    for (JsonElement sysctl : list(context, "sysctls")) {
      String name = text(sysctl.getAsJsonObject(), "name");
      require(SYSCTLS.contains(name), "sysctl " + name);
    }
    for (Map.Entry<String, JsonElement> annotation : object(metadata, "annotations").entrySet()) {
      String profile = annotation.getValue().getAsString();
      require(
          !annotation.getKey().startsWith(APP_ARMOR)
              || profile.equals("runtime/default")
              || profile.startsWith("localhost/"),
          annotation.getKey());
    }
    checkContext(context, "pod");
    for (String kind : List.of("initContainers", "containers", "ephemeralContainers")) {
      for (JsonElement container : list(spec, kind)) {
        checkContainer(container.getAsJsonObject(), context);
      }
    }
  }

  /** What a pod and a container have in common. */
  private void checkContext(JsonObject context, String of) {
    JsonObject seLinux = object(context, "seLinuxOptions");
    JsonObject appArmor = object(context, "appArmorProfile");
    JsonObject seccomp = object(context, "seccompProfile");
    require(!is(object(context, "windowsOptions"), "hostProcess"), of + ": hostProcess");
    require(SE_LINUX_TYPES.contains(text(seLinux, "type")), of + ": seLinuxOptions.type");
    require(text(seLinux, "user").isEmpty(), of + ": seLinuxOptions.user");
    require(text(seLinux, "role").isEmpty(), of + ": seLinuxOptions.role");
    require(appArmor.isEmpty() || PROFILES.contains(text(appArmor, "type")), of + ": appArmor");
    require(seccomp.isEmpty() || PROFILES.contains(text(seccomp, "type")), of + ": seccomp");
    require(!text(context, "runAsUser").equals("0"), of + ": runAsUser is 0");
    require(!text(context, "runAsNonRoot").equals("false"), of + ": runAsNonRoot is false");
  }

  private void checkContainer(JsonObject container, JsonObject pod) {
    String name = "container " + text(container, "name");
    JsonObject context = object(container, "securityContext");
    JsonObject capabilities = object(context, "capabilities");
    checkContext(context, name);
    require(!is(context, "privileged"), name + ": privileged");
    require(Set.of("", "Default").contains(text(context, "procMount")), name + ": procMount");
    require(
        text(context, "allowPrivilegeEscalation").equals("false"),
        name + ": allowPrivilegeEscalation is not false");
    require(
        list(capabilities, "drop").contains(new JsonPrimitive("ALL")),
        name + ": capabilities.drop has no ALL");
    for (JsonElement added : list(capabilities, "add")) {
      require(added.getAsString().equals("NET_BIND_SERVICE"), name + ": capabilities.add " + added);
    }
    require(is(context, "runAsNonRoot") || is(pod, "runAsNonRoot"), name + ": runAsNonRoot");
    require(
        context.has("seccompProfile") || pod.has("seccompProfile"), name + ": no seccompProfile");
    for (JsonElement port : list(container, "ports")) {
      String host = text(port.getAsJsonObject(), "hostPort");
      require(Set.of("", "0").contains(host), name + ": hostPort " + host);
    }
    JsonObject lifecycle = object(container, "lifecycle");
    Stream.of(
            object(container, "startupProbe"),
            object(container, "readinessProbe"),
            object(container, "livenessProbe"),
            object(lifecycle, "postStart"),
            object(lifecycle, "preStop"))
        .flatMap(call -> Stream.of(object(call, "httpGet"), object(call, "tcpSocket")))
        .forEach(call -> require(text(call, "host").isEmpty(), name + ": host of a probe"));
  }

  private void require(boolean holds, String violation) {
    if (!holds) {
      violations.add(violation);
    }
  }

  private static boolean is(JsonObject object, String name) {
    return text(object, name).equals("true");
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }

  private static JsonObject object(JsonObject object, String name) {
    return get(object, name) instanceof JsonObject inner ? inner : new JsonObject();
  }

  private static JsonArray list(JsonObject object, String name) {
    return get(object, name) instanceof JsonArray list ? list : new JsonArray();
  }

  private static JsonElement get(JsonObject object, String name) {
    return object.has(name) ? object.get(name) : JsonNull.INSTANCE;
  }
}
