package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.testing.KubernetesManifests;
import io.outrigger.program.testing.KubernetesManifests.Manifest;
import io.outrigger.program.testing.StrategicMerge;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The manifests of {@code docker/kubernetes}, as far as they can be tried without a cluster. */
@Conformance("DI-07")
final class KubernetesManifestsTest {
  private static final String BOOTSTRAP = "/etc/outrigger/bootstrap.json";
  private static final Pattern EXPANSION = Pattern.compile("\\$\\([A-Z_]+\\)");
  private static final List<String> PROBES =
      List.of("startupProbe", "readinessProbe", "livenessProbe");

  private static List<Manifest> manifests() {
    return KubernetesManifests.all();
  }

  /** Pods, those that the policy would change included. */
  private static List<JsonObject> pods(Manifest manifest) {
    return manifest.pod().stream().flatMap(KubernetesManifestsTest::withInjected).toList();
  }

  private static Stream<JsonObject> withInjected(JsonObject pod) {
    JsonObject labels = pod.getAsJsonObject("metadata").getAsJsonObject("labels");
    String asked = text(labels, "outrigger.io/inject");
    if (asked.isEmpty()) {
      return Stream.of(pod);
    }
    try {
      String file = asked.equals("istio") ? "inject-istio.yaml" : "inject.yaml";
      JsonObject policy = KubernetesManifests.one(file, "MutatingAdmissionPolicy");
      return Stream.of(pod, new SidecarInjection(policy).apply(pod).orElseThrow());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static List<JsonObject> containers(JsonObject pod) {
    JsonObject spec = pod.getAsJsonObject("spec");
    return Stream.of("initContainers", "containers")
        .filter(spec::has)
        .flatMap(kind -> spec.getAsJsonArray(kind).asList().stream())
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  private static Optional<JsonObject> sidecar(JsonObject pod) {
    return containers(pod).stream()
        .filter(container -> text(container, "name").equals("outrigger"))
        .findFirst();
  }

  @Test
  void everyFileIsThere() {
    assertThat(manifests())
        .extracting(Manifest::toString)
        .contains(
            "native-sidecar.yaml: Deployment",
            "job.yaml: Job",
            "istio-agent.yaml: Deployment",
            "istiod.yaml: Deployment",
            "istio-mtls.yaml: Deployment",
            "spire.yaml: Deployment",
            "pod-certificate.yaml: Deployment",
            "ambient.yaml: Deployment",
            "inject.yaml: MutatingAdmissionPolicy",
            "inject-istio.yaml: MutatingAdmissionPolicy",
            "without-mesh.yaml: Deployment",
            "kustomize/example: Deployment");
    assertThat(
            manifests().stream().flatMap(m -> pods(m).stream()).flatMap(p -> sidecar(p).stream()))
        .hasSize(12);
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void theApiKnowsEveryField(Manifest manifest) {
    assertThat(KubernetesModel.errors(manifest.object())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"kind\": \"Deploymet\"}",
        "{\"apiVersion\": \"apps/v2\"}",
        "{\"spec\": {\"replicas\": \"2\"}}",
        "{\"spec\": {\"replica\": 2}}",
        "{\"spec\": {\"template\": {\"spec\": {\"containers\": [{\"image\": \"unnamed\"}]}}}}",
        "{\"spec\": {\"template\": {\"spec\": {\"containers\": {}}}}}",
        "{\"spec\": {\"template\": {\"spec\": {\"restartPolicy\": \"always\"}}}}",
        "{\"spec\": {\"template\": {\"spec\": {\"hostNetwork\": \"no\"}}}}"
      })
  void theApiRefusesWhatItDoesNotKnow(String change) {
    JsonObject manifest = KubernetesManifests.one("native-sidecar.yaml", "Deployment");
    StrategicMerge.into(manifest, JsonParser.parseString(change).getAsJsonObject());

    assertThat(KubernetesModel.errors(manifest)).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void everyPodIsRestricted(Manifest manifest) {
    for (JsonObject pod : pods(manifest)) {
      assertThat(PodSecurity.violations(pod)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void everyNameInAPodLeadsSomewhere(Manifest manifest) {
    manifest.pod().ifPresent(pod -> assertThat(selected(manifest)).isSubsetOf(labels(pod)));
    for (JsonObject pod : pods(manifest)) {
      Set<String> volumes = names(pod.getAsJsonObject("spec"), "volumes");
      for (JsonObject container : containers(pod)) {
        assertThat(volumes).containsAll(names(container, "volumeMounts"));
        for (JsonObject probe : probes(container)) {
          String port = text(probe.getAsJsonObject("httpGet"), "port");
          assertThat(port.equals("9902") ? containers(pod) : List.of(container)) // --health
              .anySatisfy(
                  each ->
                      assertThat(names(each, "ports"))
                          .contains(port.equals("9902") ? "outrigger" : port));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void theSidecarSaysWhyItFailsAndWritesNothing(Manifest manifest) {
    for (JsonObject pod : pods(manifest)) {
      sidecar(pod)
          .ifPresent(
              sidecar -> {
                assertThat(text(sidecar, "terminationMessagePolicy"))
                    .isEqualTo("FallbackToLogsOnError");
                JsonObject context = sidecar.getAsJsonObject("securityContext");
                assertThat(context.get("readOnlyRootFilesystem").getAsBoolean()).isTrue();
                assertThat(environment(sidecar, "")).doesNotContainKey("JAVA_TOOL_OPTIONS");
                assertThat(sidecar.has("command")).isFalse();
                assertThat(sidecar.getAsJsonObject("resources").keySet())
                    .containsExactlyInAnyOrder("requests", "limits");
              });
    }
  }

  @ParameterizedTest
  @MethodSource("manifests")
  void theCommandStarts(Manifest manifest, @TempDir Path folder) throws IOException {
    for (JsonObject pod : pods(manifest)) {
      Optional<JsonObject> sidecar = sidecar(pod);
      if (sidecar.isPresent()) {
        assertStarts(manifest, pod, sidecar.get(), folder);
      }
    }
  }

  private static void assertStarts(
      Manifest manifest, JsonObject pod, JsonObject sidecar, Path folder) throws IOException {
    String file = manifest.file().equals("spire.yaml") ? "spire.yaml" : "native-sidecar.yaml";
    JsonObject map = KubernetesManifests.one(file, "ConfigMap").getAsJsonObject("data");
    for (String name : map.keySet()) {
      Files.writeString(folder.resolve(name), text(map, name));
    }
    Path bootstrap = folder.resolve("bootstrap.json");
    var outrigger = new CommandLineFixture();
    outrigger.environment.put("KUBERNETES_SERVICE_HOST", "10.0.0.1"); // the kubelet's
    outrigger.environment.putAll(environment(sidecar, bootstrap.toString()));
    if (isBesideAgent(pod)) { // its template adds the variable
      outrigger.environment.put("GRPC_XDS_BOOTSTRAP", "/etc/istio/proxy/grpc-bootstrap.json");
    }

    int exitCode =
        outrigger.run(
            Stream.of(strings(sidecar.getAsJsonArray("args")))
                .map(word -> word.replace("$(POD_IP)", "10.1.2.3"))
                .map(word -> word.replace("/etc/outrigger", folder.toString()))
                .toArray(String[]::new));

    assertThat(outrigger.errorLines()).isEmpty();
    assertThat(exitCode).isZero();
    ProxyOptions options = outrigger.started.get(0);
    assertThat(options.forwards().size() + options.serving().serves().size()).isPositive();
    assertThat(options.source().isEmpty()).isEqualTo(isBesideAgent(pod));
    assertThat(options.servers().admin()).contains(new ListenAddress.Tcp("127.0.0.1", 9901));
    assertThat(options.servers().adminGrpc()).isEmpty();
    assertThat(options.servers().health()).contains(new ListenAddress.Tcp("0.0.0.0", 9902));
    JsonArray ports = sidecar.getAsJsonArray("ports");
    assertThat(ports).hasSize(1);
    assertThat(ports.get(0).getAsJsonObject().get("containerPort").getAsInt()).isEqualTo(9902);
    assertThat(options.drain().delay().plus(options.drain().timeout()).toSeconds())
        .isLessThan(pod.getAsJsonObject("spec").get("terminationGracePeriodSeconds").getAsLong());
  }

  @Conformance("KN-05")
  @Test
  void withoutAMeshTheSidecarMayReadSlicesAndNothingElse() {
    String file = "without-mesh.yaml";
    JsonObject role = KubernetesManifests.one(file, "Role");
    JsonObject binding = KubernetesManifests.one(file, "RoleBinding");
    JsonObject pod =
        KubernetesManifests.one(file, "Deployment")
            .getAsJsonObject("spec")
            .getAsJsonObject("template")
            .getAsJsonObject("spec");

    assertThat(role.getAsJsonArray("rules"))
        .containsExactly(
            JsonParser.parseString(
                """
                {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"],
                 "verbs": ["get", "list", "watch"]}
                """));
    String name = text(role.getAsJsonObject("metadata"), "name");
    assertThat(text(binding.getAsJsonObject("roleRef"), "name")).isEqualTo(name);
    JsonObject subject = binding.getAsJsonArray("subjects").get(0).getAsJsonObject();
    assertThat(text(subject, "name")).isEqualTo(text(pod, "serviceAccountName"));
    assertThat(pod.has("automountServiceAccountToken")).isFalse();
  }

  @Conformance("IST-05")
  @Test
  void onePodOfAStrictMeshHasAllThatItsCertificateNeeds() {
    String file = "istio-mtls.yaml";
    JsonObject pod = new Manifest(file, KubernetesManifests.one(file, "Deployment")).pod().get();
    JsonObject sidecar = sidecar(pod).orElseThrow();
    String bootstrap = environment(sidecar, "").get("GRPC_XDS_BOOTSTRAP_CONFIG");
    JsonObject ca =
        JsonParser.parseString(bootstrap)
            .getAsJsonObject()
            .getAsJsonObject("certificate_providers")
            .getAsJsonObject("default")
            .getAsJsonObject("config");

    assertThat(labels(pod).toString()).contains("security.istio.io/tlsMode=\"istio\"");
    JsonObject token =
        volume(pod, sidecar, text(ca, "token_file"))
            .getAsJsonObject("projected")
            .getAsJsonArray("sources")
            .get(0)
            .getAsJsonObject()
            .getAsJsonObject("serviceAccountToken");
    assertThat(text(token, "audience")).isEqualTo("istio-ca");
    assertThat(text(ca, "token_file")).endsWith("/" + text(token, "path"));
    assertThat(
            text(
                volume(pod, sidecar, text(ca, "ca_root_file")).getAsJsonObject("configMap"),
                "name"))
        .isEqualTo("istio-ca-root-cert");
    JsonObject service = KubernetesManifests.one(file, "Service").getAsJsonObject("spec");
    assertThat(service.getAsJsonObject("selector").entrySet()).isSubsetOf(labels(pod));
    String port = text(service.getAsJsonArray("ports").get(0).getAsJsonObject(), "targetPort");
    assertThat(strings(sidecar.getAsJsonArray("args")))
        .contains("--serve=$(POD_IP):" + port + "=127.0.0.1:" + port);
  }

  /** The volume that holds {@code file} in {@code container}. */
  private static JsonObject volume(JsonObject pod, JsonObject container, String file) {
    String name =
        objects(container, "volumeMounts")
            .filter(mount -> file.startsWith(text(mount, "mountPath") + "/"))
            .map(mount -> text(mount, "name"))
            .findFirst()
            .orElseThrow();
    return objects(pod.getAsJsonObject("spec"), "volumes")
        .filter(volume -> text(volume, "name").equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Stream<JsonObject> objects(JsonObject holder, String list) {
    return holder.getAsJsonArray(list).asList().stream().map(JsonElement::getAsJsonObject);
  }

  @Test
  void spireHasTheFilesOfTheExample() throws IOException {
    JsonObject data = KubernetesManifests.one("spire.yaml", "ConfigMap").getAsJsonObject("data");
    for (String name : List.of("bootstrap.json", "resources.yaml")) {
      assertThat(text(data, name))
          .isEqualTo(Files.readString(Path.of("..", "config", "examples", "spire", name)));
    }
  }

  private static boolean isBesideAgent(JsonObject pod) {
    return containers(pod).stream().anyMatch(c -> text(c, "name").equals("istio-proxy"));
  }

  /** What stays true when the order of the ends differs: the app's end is before the sidecar's. */
  @ParameterizedTest
  @MethodSource("manifests")
  void aSidecarIsNativeUnlessTheAgentIsBesideIt(Manifest manifest) {
    for (JsonObject pod : pods(manifest)) {
      sidecar(pod)
          .ifPresent(
              sidecar -> {
                boolean isNative = text(sidecar, "restartPolicy").equals("Always");
                assertThat(isNative).isNotEqualTo(isBesideAgent(pod));
                assertThat(sidecar.has("startupProbe")).isEqualTo(isNative);
                assertThat(sidecar.has("lifecycle")).isFalse();
              });
    }
  }

  @Test
  void theComponentGoesToWhatAsksForIt() throws IOException {
    JsonObject component = KubernetesManifests.kustomization("component");
    JsonObject example = KubernetesManifests.kustomization("example");
    JsonObject patch = component.getAsJsonArray("patches").get(0).getAsJsonObject();
    JsonObject target = patch.getAsJsonObject("target");

    assertThat(component.keySet()).containsExactly("apiVersion", "kind", "patches");
    assertThat(text(component, "apiVersion")).isEqualTo("kustomize.config.k8s.io/v1alpha1");
    assertThat(text(component, "kind")).isEqualTo("Component");
    assertThat(patch.keySet()).containsExactly("path", "target");
    assertThat(KubernetesManifests.kustomizeFile("component", text(patch, "path"))).exists();
    assertThat(target.keySet()).containsExactly("kind", "labelSelector");
    JsonObject app = manifests().get(manifests().size() - 1).object();
    assertThat(text(app, "kind")).matches(text(target, "kind"));
    JsonObject labels = app.getAsJsonObject("metadata").getAsJsonObject("labels");
    assertThat(labels.entrySet())
        .extracting(label -> label.getKey() + "=" + label.getValue().getAsString())
        .contains(text(target, "labelSelector"));

    assertThat(example.keySet())
        .containsExactly(
            "apiVersion", "kind", "resources", "components", "configMapGenerator", "patches");
    assertThat(text(example, "apiVersion")).isEqualTo("kustomize.config.k8s.io/v1beta1");
    JsonObject map = KubernetesManifests.one("native-sidecar.yaml", "ConfigMap");
    Path bootstrap = KubernetesManifests.kustomizeFile("example", "bootstrap.json");
    assertThat(JsonParser.parseString(Files.readString(bootstrap)))
        .isEqualTo(JsonParser.parseString(text(map.getAsJsonObject("data"), "bootstrap.json")));
  }

  private static Set<Map.Entry<String, JsonElement>> selected(Manifest manifest) {
    JsonObject spec = manifest.object().getAsJsonObject("spec");
    return spec.has("selector")
        ? spec.getAsJsonObject("selector").getAsJsonObject("matchLabels").entrySet()
        : Set.of();
  }

  private static Set<Map.Entry<String, JsonElement>> labels(JsonObject pod) {
    return pod.getAsJsonObject("metadata").getAsJsonObject("labels").entrySet();
  }

  private static List<JsonObject> probes(JsonObject container) {
    return PROBES.stream().filter(container::has).map(container::getAsJsonObject).toList();
  }

  private static Set<String> names(JsonObject holder, String list) {
    Set<String> names = new HashSet<>();
    if (holder.has(list)) {
      holder.getAsJsonArray(list).forEach(item -> names.add(text(item.getAsJsonObject(), "name")));
    }
    return names;
  }

  /** As the kubelet makes it, but for the values that only a pod has. */
  private static Map<String, String> environment(JsonObject container, String bootstrap) {
    Map<String, String> environment = new HashMap<>();
    if (container.has("env")) {
      for (JsonElement element : container.getAsJsonArray("env")) {
        JsonObject variable = element.getAsJsonObject();
        String value = EXPANSION.matcher(text(variable, "value")).replaceAll("of-the-pod");
        environment.put(text(variable, "name"), value.replace(BOOTSTRAP, bootstrap));
      }
    }
    return environment;
  }

  private static String[] strings(JsonArray list) {
    List<String> strings = new ArrayList<>();
    list.forEach(item -> strings.add(item.getAsString()));
    return strings.toArray(String[]::new);
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) && object.get(name).isJsonPrimitive()
        ? object.get(name).getAsString()
        : "";
  }
}
