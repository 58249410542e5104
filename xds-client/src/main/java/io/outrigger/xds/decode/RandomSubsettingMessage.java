package io.outrigger.xds.decode;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.WrappersProto;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.cluster.v3.LoadBalancingPolicy;

/**
 * The message {@code RandomSubsetting} of Envoy (A68). The bundled generated classes do not include
 * it, so this class defines its descriptor:
 *
 * <pre>
 * message RandomSubsetting {
 *   google.protobuf.UInt32Value subset_size = 1;
 *   config.cluster.v3.LoadBalancingPolicy child_policy = 2;
 * }
 * </pre>
 */
final class RandomSubsettingMessage {
  private static final String PACKAGE =
      "envoy.extensions.load_balancing_policies.random_subsetting.v3";
  private static final String NAME = "RandomSubsetting";
  static final String TYPE = PACKAGE + "." + NAME;
  static final int SUBSET_SIZE = 1;
  static final int CHILD_POLICY = 2;

  private RandomSubsettingMessage() {}

  private static final class Lazy {
    static final Descriptor DESCRIPTOR = make();

    private static Descriptor make() {
      FileDescriptor cluster = Cluster.getDescriptor().getFile();
      var file =
          FileDescriptorProto.newBuilder()
              .setName(PACKAGE.replace('.', '/') + "/random_subsetting.proto")
              .setPackage(PACKAGE)
              .setSyntax("proto3")
              .addDependency(cluster.getName())
              .addDependency(WrappersProto.getDescriptor().getName())
              .addMessageType(
                  DescriptorProto.newBuilder()
                      .setName(NAME)
                      .addField(field("subset_size", SUBSET_SIZE, UInt32Value.getDescriptor()))
                      .addField(
                          field("child_policy", CHILD_POLICY, LoadBalancingPolicy.getDescriptor())))
              .build();
      FileDescriptor[] imported = {cluster, WrappersProto.getDescriptor()};
      try {
        return FileDescriptor.buildFrom(file, imported).findMessageTypeByName(NAME);
      } catch (DescriptorValidationException e) {
        throw new AssertionError(e);
      }
    }

    private static FieldDescriptorProto field(String name, int number, Descriptor type) {
      return FieldDescriptorProto.newBuilder()
          .setName(name)
          .setNumber(number)
          .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
          .setType(FieldDescriptorProto.Type.TYPE_MESSAGE)
          .setTypeName("." + type.getFullName())
          .build();
    }
  }

  static Descriptor descriptor() {
    return Lazy.DESCRIPTOR;
  }
}
