package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.cel.common.CelValidationException;
import io.outrigger.program.testing.KubernetesManifests;
import io.outrigger.testing.Conformance;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The policies of {@code docker/kubernetes}, carried out. */
@Conformance("DI-07")
final class SidecarInjectionTest {
  private static final String POLICY = "MutatingAdmissionPolicy";
  private static final String PLAIN = "inject.yaml";
  private static final String ISTIO = "inject-istio.yaml";
  private static final String APP =
      """
      {"name": "app", "image": "app", "securityContext":
        {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}\
      """;

  private static JsonObject pod(String metadata, String more) {
    return JsonParser.parseString(
            """
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"%s},
             "spec": {"containers": [%s]%s, "securityContext":
               {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}}}}\
            """
                .formatted(metadata, APP, more))
        .getAsJsonObject();
  }

  private static SidecarInjection policy(String file) {
    return new SidecarInjection(KubernetesManifests.one(file, POLICY));
  }

  private static JsonObject injected(JsonObject pod) throws Exception {
    return policy(PLAIN).apply(pod).orElseThrow();
  }

  /** The pod of the Deployment in {@code file}. */
  private static JsonObject sample(String file) {
    return new KubernetesManifests.Manifest(file, KubernetesManifests.one(file, "Deployment"))
        .pod()
        .orElseThrow();
  }

  private static List<String> names(JsonObject pod, String list) {
    return pod.getAsJsonObject("spec").getAsJsonArray(list).asList().stream()
        .map(item -> item.getAsJsonObject().get("name").getAsString())
        .toList();
  }

  private static JsonObject sidecar(JsonObject pod) {
    return first(pod, "initContainers");
  }

  private static JsonObject first(JsonObject pod, String list) {
    return pod.getAsJsonObject("spec").getAsJsonArray(list).get(0).getAsJsonObject();
  }

  private static JsonObject labels(JsonObject pod) {
    return pod.getAsJsonObject("metadata").getAsJsonObject("labels");
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

  @ParameterizedTest
  @ValueSource(strings = {PLAIN, ISTIO})
  void aPodThatHasTheSidecarIsLeftAsItIs(String file) throws Exception {
    JsonObject pod = policy(file).apply(sample(file)).orElseThrow();

    assertThat(policy(file).apply(pod)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({PLAIN + ", native-sidecar.yaml", ISTIO + ", istio-mtls.yaml"})
  void theSidecarIsTheOneOfTheOtherManifests(String file, String same) throws Exception {
    JsonObject pod = policy(file).apply(sample(file)).orElseThrow();
    JsonObject sidecar = sidecar(pod);
    JsonObject other = sidecar(sample(same));

    String forward = "--forward=" + env(pod, "OUTRIGGER_FORWARD");
    assertThat(other.getAsJsonArray("args").remove(new JsonPrimitive(forward))).isTrue();
    JsonObject context = other.getAsJsonObject("securityContext");
    context.addProperty("runAsNonRoot", true); // else of the pod, which here is not ours
    context.add("seccompProfile", JsonParser.parseString("{\"type\": \"RuntimeDefault\"}"));
    sidecar.getAsJsonArray("env").remove(0);
    assertThat(sidecar).isEqualTo(other);
  }

  @Test
  @Conformance("IST-05")
  void aServedPodOfIstioIsTheOneOfTheOtherManifest() throws Exception {
    JsonObject pod = policy(ISTIO).apply(sample(ISTIO)).orElseThrow();
    JsonObject other = sample("istio-mtls.yaml");

    labels(other).addProperty("outrigger.io/inject", "istio");
    assertThat(labels(pod)).isEqualTo(labels(other));
    assertThat(pod.getAsJsonObject("spec").get("volumes"))
        .isEqualTo(other.getAsJsonObject("spec").get("volumes"));
    assertThat(first(pod, "containers")).isEqualTo(first(other, "containers"));
  }

  @Test
  @Conformance("IST-05")
  void aPodOfIstioThatOnlyCallsOthersTakesNoMutualTls() throws Exception {
    JsonObject pod = sample(ISTIO);
    pod.getAsJsonObject("metadata").remove("annotations");
    JsonObject called = policy(ISTIO).apply(pod).orElseThrow();

    assertAccepted(called);
    assertThat(labels(called).keySet())
        .containsExactlyInAnyOrder("app", "outrigger.io/inject", "sidecar.istio.io/inject");
    assertThat(first(called, "containers").has("readinessProbe")).isFalse();
    assertThat(sidecar(called).getAsJsonArray("args").toString()).doesNotContain("--serve");
    assertThat(env(called, "OUTRIGGER_FORWARD")).isEqualTo("9001=xds:///*");
  }

  @Test
  void aPodOfIstioKeepsItsOwnProbeAndLists() throws Exception {
    JsonObject pod = sample(ISTIO);
    JsonElement probe =
        JsonParser.parseString("{\"httpGet\": {\"path\": \"/app\", \"port\": 9902}}");
    first(pod, "containers").add("readinessProbe", probe);
    JsonObject spec = pod.getAsJsonObject("spec");
    String init = APP.replace("\"app\"", "\"init\"");
    spec.add("initContainers", JsonParser.parseString("[" + init + "]"));
    spec.add("volumes", JsonParser.parseString("[{\"name\": \"own\", \"emptyDir\": {}}]"));
    JsonObject kept = policy(ISTIO).apply(pod).orElseThrow();

    assertAccepted(kept);
    assertThat(first(kept, "containers").get("readinessProbe")).isEqualTo(probe);
    assertThat(names(kept, "initContainers")).containsExactly("outrigger", "init");
    assertThat(names(kept, "volumes")).containsExactly("own", "istiod-ca-cert", "istio-token");
  }

  @ParameterizedTest
  @CsvSource({
    PLAIN + ", 9001=xds:///orders",
    ISTIO + ", 9001=xds:///orders.shop.svc.cluster.local:7070"
  })
  void theSampleAppAsksForTheSidecar(String file, String forward) throws Exception {
    JsonObject labels =
        KubernetesManifests.one(file, POLICY)
            .getAsJsonObject("spec")
            .getAsJsonObject("matchConstraints")
            .getAsJsonObject("objectSelector")
            .getAsJsonObject("matchLabels");
    JsonObject app = sample(file);

    assertThat(labels(app).entrySet()).containsAll(labels.entrySet());
    JsonObject pod = policy(file).apply(app).orElseThrow();
    assertAccepted(pod);
    assertThat(env(pod, "OUTRIGGER_FORWARD")).isEqualTo(forward);
  }

  @ParameterizedTest
  @ValueSource(strings = {PLAIN, ISTIO})
  void theBindingPutsThePolicyInForce(String file) {
    JsonObject binding = KubernetesManifests.one(file, POLICY + "Binding");

    assertThat(binding.getAsJsonObject("spec").get("policyName"))
        .isEqualTo(KubernetesManifests.one(file, POLICY).getAsJsonObject("metadata").get("name"));
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
    JsonObject wrong = KubernetesManifests.one(PLAIN, POLICY);
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
