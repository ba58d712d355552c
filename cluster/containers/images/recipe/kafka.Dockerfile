FROM {{.From}}
COPY jars /opt/kafka/libs
