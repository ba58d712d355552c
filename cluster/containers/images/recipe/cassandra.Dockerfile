FROM {{.From}}
COPY jars /opt/cassandra/lib
RUN mkdir -p /var/lib/cassandra /var/log/cassandra
# Off the layered file system, which is slow at a commit log's syncs.
VOLUME /var/lib/cassandra
