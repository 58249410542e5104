package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.program.testing.StrategicMerge;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each control of the restricted profile, by a pod that violates it alone. */
final class PodSecurityTest {
  private static JsonObject pod() {
    return JsonParser.parseString(
            """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {
              "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
              "containers": [{"name": "a", "image": "a", "securityContext":
                {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}}\
            """)
        .getAsJsonObject();
  }

  @Test
  void aPodThatGivesUpAllIsAccepted() {
    assertThat(KubernetesModel.errors(pod())).isEmpty();
    assertThat(PodSecurity.violations(pod())).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"hostNetwork": true}                                             | hostNetwork
          {"hostPID": true}                                                 | hostPID
          {"hostIPC": true}                                                 | hostIPC
          {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}           | volume of type hostPath
          {"volumes": [{"name": "v", "nfs": {"path": "/", "server": "s"}}]} | volume of type nfs
          {"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}} | sysctl kernel.msgmax
          {"securityContext": {"runAsUser": 0}}                             | pod: runAsUser is 0
          {"securityContext": {"runAsNonRoot": false}}                      | pod: runAsNonRoot is false
          {"securityContext": {"windowsOptions": {"hostProcess": true}}}    | pod: hostProcess
          {"securityContext": {"seccompProfile": {"type": "Unconfined"}}}   | pod: seccomp
          {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}  | pod: appArmor
          {"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}        | pod: seLinuxOptions.type
          {"securityContext": {"seLinuxOptions": {"user": "u"}}}            | pod: seLinuxOptions.user
          {"securityContext": {"seLinuxOptions": {"role": "r"}}}            | pod: seLinuxOptions.role
          """)
  void whatAPodMayNotAskFor(String spec, String violation) {
    JsonObject pod = pod();
    merge(pod.getAsJsonObject("spec"), spec);

    assertThat(KubernetesModel.errors(pod)).isEmpty();
    assertThat(PodSecurity.violations(pod)).contains(violation);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {"securityContext": {"privileged": true}}                          | privileged
          {"securityContext": {"allowPrivilegeEscalation": true}}            | allowPrivilegeEscalation is not false
          {"securityContext": {"capabilities": {"drop": []}}}                | capabilities.drop has no ALL
          {"securityContext": {"capabilities": {"drop": ["NET_RAW"]}}}       | capabilities.drop has no ALL
          {"securityContext": {"capabilities": {"add": ["SYS_TIME"]}}}       | capabilities.add "SYS_TIME"
          {"securityContext": {"procMount": "Unmasked"}}                     | procMount
          {"securityContext": {"runAsUser": 0}}                              | runAsUser is 0
          {"securityContext": {"runAsNonRoot": false}}                       | runAsNonRoot is false
          {"securityContext": {"seccompProfile": {"type": "Unconfined"}}}    | seccomp
          {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}   | appArmor
          {"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}         | seLinuxOptions.type
          {"securityContext": {"windowsOptions": {"hostProcess": true}}}     | hostProcess
          {"ports": [{"containerPort": 1, "hostPort": 1}]}                   | hostPort 1
          {"livenessProbe": {"httpGet": {"port": 1, "host": "h"}}}           | host of a probe
          {"startupProbe": {"tcpSocket": {"port": 1, "host": "h"}}}          | host of a probe
          {"lifecycle": {"preStop": {"httpGet": {"port": 1, "host": "h"}}}}  | host of a probe
          """)
  void whatAContainerMayNotAskFor(String container, String violation) {
    JsonObject pod = pod();
    JsonObject spec = pod.getAsJsonObject("spec");
    merge(spec.getAsJsonArray("containers").get(0).getAsJsonObject(), container);

    assertThat(KubernetesModel.errors(pod)).isEmpty();
    assertThat(PodSecurity.violations(pod)).contains("container a: " + violation);
    spec.add("initContainers", spec.get("containers"));
    assertThat(PodSecurity.violations(pod)).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "runAsNonRoot, container a: runAsNonRoot",
    "seccompProfile, container a: no seccompProfile"
  })
  void whatMustBeSaidByThePodOrEachContainer(String field, String violation) {
    JsonObject pod = pod();
    JsonObject context = pod.getAsJsonObject("spec").getAsJsonObject("securityContext");
    var said = context.remove(field);
    assertThat(PodSecurity.violations(pod)).containsExactly(violation);

    pod.getAsJsonObject("spec")
        .getAsJsonArray("containers")
        .get(0)
        .getAsJsonObject()
        .getAsJsonObject("securityContext")
        .add(field, said);
    assertThat(PodSecurity.violations(pod)).isEmpty();
  }

  @Test
  void anOldAnnotationDoesNotSwitchAppArmorOff() {
    JsonObject pod = pod();
    String name = "container.apparmor.security.beta.kubernetes.io/a";
    merge(pod, "{\"metadata\": {\"annotations\": {\"%s\": \"unconfined\"}}}".formatted(name));

    assertThat(PodSecurity.violations(pod)).containsExactly(name);
  }

  private static void merge(JsonObject into, String json) {
    StrategicMerge.into(into, JsonParser.parseString(json).getAsJsonObject());
  }
}
