FROM {{.From}}
COPY archives /opt/kafka
