# Entry point of the broker. Of the image it needs a shell, java on the PATH and the jars in
# /opt/kafka/libs, which both the official image and the local one have.
set -e

# The shell sorts the names. An AppCDS archive is only accepted with the class path that it was made
# with, character by character, so every start builds it the same way.
classpath=$(printf '%s:' /opt/kafka/libs/*.jar)

# Brokers live for seconds: C1 code only and the serial collector start in two thirds of the CPU time.
jit="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

# classes ARCHIVE: the flag that uses this archive of loaded classes, or makes it when asked to. An
# archive made by another JDK (the official image ships such ones) costs a warning, not the start.
classes() {
{{- if .Archive}}
	echo "-XX:ArchiveClassesAtExit=$1"
{{- else}}
	if [ -f "$1" ]; then echo "-XX:SharedArchiveFile=$1"; fi
{{- end}}
}

# --ignore-formatted lets a stopped broker start again with the data it has.
java $jit -Xmx64m $(classes /opt/kafka/storage.jsa) -cp "$classpath" \
	kafka.tools.StorageTool format --ignore-formatted -t {{.ClusterID}} -c /tmp/kafka/server.properties

# exec, so that signals reach the broker.
exec java $jit -Xmx512m $(classes /opt/kafka/kafka.jsa) \
	-Dlog4j2.configurationFile=/tmp/kafka/log4j2.properties -cp "$classpath" \
	kafka.Kafka /tmp/kafka/server.properties
