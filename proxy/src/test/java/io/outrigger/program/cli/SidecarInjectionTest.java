package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.cel.common.CelValidationException;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policy of {@code docker/kubernetes/inject.yaml}, carried out. */
@Conformance("DI-07")
final class SidecarInjectionTest {
  private static final String POLICY = "MutatingAdmissionPolicy";
  private static final String APP =
      """
      {"name": "app", "image": "app", "securityContext":
        {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}""";

  private static final JsonObject SIDECAR =
      KubernetesManifests.one("native-sidecar.yaml", "Deployment")
          .getAsJsonObject("spec")
          .getAsJsonObject("template")
          .getAsJsonObject("spec")
          .getAsJsonArray("initContainers")
          .get(0)
          .getAsJsonObject();

  private static JsonObject pod(String metadata, String more) {
    return JsonParser.parseString(
            """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"%s},
             "spec": {"containers": [%s]%s, "securityContext":
               {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}}}}"""
                .formatted(metadata, APP, more))
        .getAsJsonObject();
  }

  private static SidecarInjection policy() {
    return new SidecarInjection(KubernetesManifests.one("inject.yaml", POLICY));
  }

  private static JsonObject injected(JsonObject pod) throws Exception {
    return policy().apply(pod).orElseThrow();
  }

  private static List<String> names(JsonObject pod, String list) {
    return pod.getAsJsonObject("spec").getAsJsonArray(list).asList().stream()
        .map(item -> item.getAsJsonObject().get("name").getAsString())
        .toList();
  }

  private static JsonObject sidecar(JsonObject pod) {
    return pod.getAsJsonObject("spec").getAsJsonArray("initContainers").get(0).getAsJsonObject();
  }

  private static void assertAccepted(JsonObject pod) {
    assertThat(KubernetesModel.errors(pod)).isEmpty();
    assertThat(PodSecurity.violations(pod)).isEmpty();
  }

  @Test
  void aPodWithoutListsOfItsOwnGetsThem() throws Exception {
    JsonObject pod = injected(pod("", ""));

    assertAccepted(pod);
    assertThat(names(pod, "initContainers")).containsExactly("outrigger");
    assertThat(names(pod, "containers")).containsExactly("app");
    assertThat(names(pod, "volumes")).containsExactly("outrigger-bootstrap");
    assertThat(env(pod, "OUTRIGGER_FORWARD")).isEqualTo("9001=xds:///*");
  }

  @Test
  void aPodWithListsKeepsThemAfterTheSidecar() throws Exception {
    JsonObject pod =
        injected(
            pod(
                ", \"annotations\": {\"outrigger.io/forward\": \"9001=xds:///a,9002=xds:///b\"}",
                ", \"initContainers\": [%s], \"volumes\": [{\"name\": \"own\", \"emptyDir\": {}}]"
                    .formatted(APP.replace("\"app\"", "\"init\""))));

    assertAccepted(pod);
    assertThat(names(pod, "initContainers")).containsExactly("outrigger", "init");
    assertThat(names(pod, "volumes")).containsExactly("own", "outrigger-bootstrap");
    assertThat(env(pod, "OUTRIGGER_FORWARD")).isEqualTo("9001=xds:///a,9002=xds:///b");
  }

  @Test
  void otherAnnotationsChangeNothing() throws Exception {
    JsonObject pod = injected(pod(", \"annotations\": {\"a/b\": \"c\"}", ""));

    assertThat(env(pod, "OUTRIGGER_FORWARD")).isEqualTo("9001=xds:///*");
  }

  @Test
  void aPodThatHasTheSidecarIsLeftAsItIs() throws Exception {
    JsonObject pod = injected(pod("", ""));

    assertThat(policy().apply(pod)).isEmpty();
  }

  @Test
  void theSidecarIsTheOneOfTheOtherManifests() throws Exception {
    JsonObject sidecar = sidecar(injected(pod("", "")));
    JsonObject other = SIDECAR.deepCopy();

    JsonArray arguments = other.getAsJsonArray("args");
    assertThat(arguments.remove(1).getAsString()).isEqualTo("--forward=9001=xds:///orders");
    JsonObject context = other.getAsJsonObject("securityContext");
    context.addProperty("runAsNonRoot", true); // else of the pod, which here is not ours
    context.add("seccompProfile", JsonParser.parseString("{\"type\": \"RuntimeDefault\"}"));
    sidecar.getAsJsonArray("env").remove(0);
    assertThat(sidecar).isEqualTo(other);
  }

  @Test
  void theSampleAppAsksForTheSidecar() throws Exception {
    JsonObject labels =
        KubernetesManifests.one("inject.yaml", POLICY)
            .getAsJsonObject("spec")
            .getAsJsonObject("matchConstraints")
            .getAsJsonObject("objectSelector")
            .getAsJsonObject("matchLabels");
    JsonObject app =
        new KubernetesManifests.Manifest("", KubernetesManifests.one("inject.yaml", "Deployment"))
            .pod()
            .orElseThrow();

    assertThat(app.getAsJsonObject("metadata").getAsJsonObject("labels").entrySet())
        .containsAll(labels.entrySet());
    JsonObject pod = injected(app);
    assertAccepted(pod);
    assertThat(env(pod, "OUTRIGGER_FORWARD")).isEqualTo("9001=xds:///orders");
  }

  @Test
  void theBindingPutsThePolicyInForce() {
    JsonObject binding = KubernetesManifests.one("inject.yaml", POLICY + "Binding");

    assertThat(binding.getAsJsonObject("spec").get("policyName"))
        .isEqualTo(
            KubernetesManifests.one("inject.yaml", POLICY).getAsJsonObject("metadata").get("name"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Object.spec.initContainers{nam: \"a\"}",
        "Object.spec.initContainer{name: \"a\"}",
        "Object.spec{initContainers: [Object.spec.containers{name: \"a\"}]}",
        "{\"name\": \"a\", \"containerPort\": 1}"
      })
  void anExpressionThatNoPodFitsIsRefused(String value) {
    JsonObject wrong = KubernetesManifests.one("inject.yaml", POLICY);
    JsonElement mutation = wrong.getAsJsonObject("spec").getAsJsonArray("mutations").get(0);
    mutation
        .getAsJsonObject()
        .getAsJsonObject("jsonPatch")
        .addProperty(
            "expression", "[JSONPatch{op: \"add\", path: \"/spec\", value: %s}]".formatted(value));

    assertThatThrownBy(() -> new SidecarInjection(wrong).apply(pod("", "")))
        .isInstanceOf(CelValidationException.class);
  }

  private static String env(JsonObject pod, String name) {
    for (JsonElement variable : sidecar(pod).getAsJsonArray("env")) {
      if (variable.getAsJsonObject().get("name").getAsString().equals(name)) {
        return variable.getAsJsonObject().get("value").getAsString();
      }
    }
    throw new AssertionError(name + " is not there");
  }
}
