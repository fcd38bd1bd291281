BEGIN TRANSACTION;
CREATE TABLE application_versions (
    version_id TEXT NOT NULL PRIMARY KEY,
    version_name TEXT NOT NULL UNIQUE,
    version_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL);
INSERT INTO "application_versions" VALUES('98aa68a4-61a0-459e-a5c5-eaee9541cc54','1',1795986997000,1795986997000,'studiograph');
CREATE TABLE dbos_migrations (version INTEGER NOT NULL PRIMARY KEY);
INSERT INTO "dbos_migrations" VALUES(125);
CREATE TABLE notifications (
    message_uuid TEXT NOT NULL DEFAULT (hex(randomblob(16))) PRIMARY KEY,
    destination_uuid TEXT NOT NULL,
    topic TEXT,
    message TEXT NOT NULL,
    created_at_epoch_ms INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000), "serialization" TEXT DEFAULT NULL, "consumed" BOOLEAN NOT NULL DEFAULT FALSE, consumed_by_function_id INTEGER,
    FOREIGN KEY (destination_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE "operation_outputs" (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    function_name TEXT NOT NULL DEFAULT '',
    output TEXT,
    error TEXT,
    child_workflow_id TEXT,
    started_at_epoch_ms INTEGER,
    completed_at_epoch_ms INTEGER,
    serialization TEXT,
    application_name TEXT DEFAULT NULL,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    PRIMARY KEY (workflow_uuid, function_id)
);
INSERT INTO "operation_outputs" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:1',1,'dlv',NULL,NULL,'dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:2',1795987016990,1795987017000,NULL,'studiograph',1795987017000);
INSERT INTO "operation_outputs" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:1',1,'dlv',NULL,NULL,'dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:2',1795987026924,1795987026930,NULL,'studiograph',1795987026000);
INSERT INTO "operation_outputs" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:1',1,'mail',NULL,NULL,'mail:b98b2f83e10a4e168570b2bb65b90744:2',1795987027358,1795987027360,NULL,'studiograph',1795987027000);
INSERT INTO "operation_outputs" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:2',1,'mail',NULL,NULL,'mail:b98b2f83e10a4e168570b2bb65b90744:3',1795987032756,1795987032757,NULL,'studiograph',1795987032000);
INSERT INTO "operation_outputs" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:1',1,'dlv',NULL,NULL,'dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:2',1795987041876,1795987041878,NULL,'studiograph',1795987041000);
CREATE TABLE queues (
    queue_id TEXT PRIMARY KEY DEFAULT (hex(randomblob(16))),
    name TEXT NOT NULL UNIQUE,
    concurrency INTEGER,
    worker_concurrency INTEGER,
    rate_limit_max INTEGER,
    rate_limit_period_sec REAL,
    priority_enabled BOOLEAN NOT NULL DEFAULT FALSE,
    partition_queue BOOLEAN NOT NULL DEFAULT FALSE,
    polling_interval_sec REAL NOT NULL DEFAULT 1.0,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
, "application_name" TEXT DEFAULT NULL, "partition_concurrency" INTEGER DEFAULT NULL, "partition_worker_concurrency" INTEGER DEFAULT NULL, "partition_rate_limit_max" INTEGER DEFAULT NULL, "partition_rate_limit_period_sec" REAL DEFAULT NULL);
INSERT INTO "queues" VALUES('08066D1A76652F6AA50DC68243E508B9','mail',NULL,8,NULL,NULL,1,0,1.0,1795986997000,1795987026246,'studiograph',NULL,NULL,NULL,NULL);
INSERT INTO "queues" VALUES('937C3556D14A15C32E9C587C095E0B90','dlv',NULL,50,NULL,NULL,1,1,0.2,1795986997000,1795987026263,'studiograph',1,NULL,NULL,NULL);
CREATE TABLE streams (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    "offset" INTEGER NOT NULL, function_id INTEGER NOT NULL DEFAULT 0, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key, "offset"),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events (
    workflow_uuid TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid) 
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_events_history (
    workflow_uuid TEXT NOT NULL,
    function_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL, "serialization" TEXT DEFAULT NULL,
    PRIMARY KEY (workflow_uuid, function_id, key),
    FOREIGN KEY (workflow_uuid) REFERENCES workflow_status(workflow_uuid)
        ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE TABLE workflow_input (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    inputs TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_input" VALUES('mail:79e19366951e4909a2e065060780c912:1','{"namedArgs":{},"positionalArgs":["79e19366951e4909a2e065060780c912",1]}',1795986997000);
INSERT INTO "workflow_input" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-1:0:1','{"namedArgs":{},"positionalArgs":["sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-1:0",1]}',1795986999000);
INSERT INTO "workflow_input" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-1:0:1','{"namedArgs":{},"positionalArgs":["sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-1:0",1]}',1795986999000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-1:0:1','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-1:0",1]}',1795986999000);
INSERT INTO "workflow_input" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-2:0:1','{"namedArgs":{},"positionalArgs":["sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-2:0",1]}',1795987008000);
INSERT INTO "workflow_input" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-2:0:1','{"namedArgs":{},"positionalArgs":["sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-2:0",1]}',1795987008000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-2:0:1','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-2:0",1]}',1795987008000);
INSERT INTO "workflow_input" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-3:0:1','{"namedArgs":{},"positionalArgs":["sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-3:0",1]}',1795987016000);
INSERT INTO "workflow_input" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-3:0:1','{"namedArgs":{},"positionalArgs":["sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-3:0",1]}',1795987016000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:1','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0",1]}',1795987016000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:2','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0",2]}',1795987017000);
INSERT INTO "workflow_input" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:1','{"namedArgs":{},"positionalArgs":["b98b2f83e10a4e168570b2bb65b90744",1]}',1795987026000);
INSERT INTO "workflow_input" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:1','{"namedArgs":{},"positionalArgs":["sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0",1]}',1795987026000);
INSERT INTO "workflow_input" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-4:0:1','{"namedArgs":{},"positionalArgs":["sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-4:0",1]}',1795987026000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:1','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0",1]}',1795987026000);
INSERT INTO "workflow_input" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:2','{"namedArgs":{},"positionalArgs":["sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0",2]}',1795987026000);
INSERT INTO "workflow_input" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:2','{"namedArgs":{},"positionalArgs":["b98b2f83e10a4e168570b2bb65b90744",2]}',1795987027000);
INSERT INTO "workflow_input" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:3','{"namedArgs":{},"positionalArgs":["b98b2f83e10a4e168570b2bb65b90744",3]}',1795987032000);
INSERT INTO "workflow_input" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:2','{"namedArgs":{},"positionalArgs":["sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0",2]}',1795987041000);
CREATE TABLE workflow_output (
    workflow_uuid TEXT NOT NULL PRIMARY KEY,
    output TEXT,
    error TEXT,
    retention_timestamp INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000)
);
INSERT INTO "workflow_output" VALUES('mail:79e19366951e4909a2e065060780c912:1','null',NULL,1795986998000);
INSERT INTO "workflow_output" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-1:0:1','null',NULL,1795986999000);
INSERT INTO "workflow_output" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-1:0:1','null',NULL,1795986999000);
INSERT INTO "workflow_output" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-1:0:1','null',NULL,1795986999000);
INSERT INTO "workflow_output" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-2:0:1','null',NULL,1795987008000);
INSERT INTO "workflow_output" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-2:0:1','null',NULL,1795987008000);
INSERT INTO "workflow_output" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-2:0:1','null',NULL,1795987008000);
INSERT INTO "workflow_output" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-3:0:1','null',NULL,1795987016000);
INSERT INTO "workflow_output" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-3:0:1','null',NULL,1795987016000);
INSERT INTO "workflow_output" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:1','null',NULL,1795987017000);
INSERT INTO "workflow_output" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:1','null',NULL,1795987026000);
INSERT INTO "workflow_output" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-4:0:1','null',NULL,1795987026000);
INSERT INTO "workflow_output" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:1','null',NULL,1795987027000);
INSERT INTO "workflow_output" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:2','null',NULL,1795987032000);
INSERT INTO "workflow_output" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:1','null',NULL,1795987041000);
CREATE TABLE workflow_schedules (
    schedule_id TEXT PRIMARY KEY,
    schedule_name TEXT NOT NULL UNIQUE,
    workflow_name TEXT NOT NULL,
    workflow_class_name TEXT,
    schedule TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'ACTIVE',
    context TEXT NOT NULL
, "last_fired_at" TEXT DEFAULT NULL, "automatic_backfill" BOOLEAN NOT NULL DEFAULT FALSE, "cron_timezone" TEXT DEFAULT NULL, "queue_name" TEXT DEFAULT NULL, "application_name" TEXT DEFAULT NULL);
CREATE TABLE workflow_status (
    workflow_uuid TEXT PRIMARY KEY,
    status TEXT,
    name TEXT,
    authenticated_user TEXT,
    assumed_role TEXT,
    authenticated_roles TEXT,
    request TEXT,
    output TEXT,
    error TEXT,
    executor_id TEXT,
    created_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    updated_at INTEGER NOT NULL DEFAULT (strftime('%s','now') * 1000),
    application_version TEXT,
    application_id TEXT,
    class_name TEXT DEFAULT NULL,
    config_name TEXT DEFAULT NULL,
    recovery_attempts INTEGER DEFAULT 0,
    queue_name TEXT,
    workflow_timeout_ms INTEGER,
    workflow_deadline_epoch_ms INTEGER,
    inputs TEXT,
    started_at_epoch_ms INTEGER,
    deduplication_id TEXT,
    priority INTEGER NOT NULL DEFAULT 0
, queue_partition_key TEXT, forked_from TEXT, "owner_xid" TEXT DEFAULT NULL, "parent_workflow_id" TEXT DEFAULT NULL, "serialization" TEXT DEFAULT NULL, "delay_until_epoch_ms" BIGINT DEFAULT NULL, "was_forked_from" BOOLEAN NOT NULL DEFAULT FALSE, "rate_limited" BOOLEAN NOT NULL DEFAULT FALSE, "completed_at" BIGINT, "attributes" TEXT, "schedule_name" TEXT, "debounce_deadline_epoch_ms" BIGINT DEFAULT NULL, "is_debounced" BOOLEAN NOT NULL DEFAULT FALSE, "application_name" TEXT DEFAULT NULL, "creator_xid" TEXT DEFAULT NULL);
INSERT INTO "workflow_status" VALUES('mail:79e19366951e4909a2e065060780c912:1','SUCCESS','mail',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795986997000,1795986998000,'1',NULL,NULL,NULL,1,'mail',NULL,NULL,NULL,1795986998000,NULL,0,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,1795986998000,'null',NULL,NULL,0,'studiograph','1740691b-1dfd-4727-83ae-7ed359a87522');
INSERT INTO "workflow_status" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-1:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795986999000,1795986999000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795986999000,NULL,0,'sub_09912b9369b98959db19aa9af761ee50',NULL,NULL,NULL,'portable_json',NULL,0,0,1795986999000,'null',NULL,NULL,0,'studiograph','f214ad53-3206-4b8c-bf4c-7bee30d62f1d');
INSERT INTO "workflow_status" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-1:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795986999000,1795986999000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795986999000,NULL,0,'sub_119b60a9bb8f5e4c681ea059c37403f9',NULL,NULL,NULL,'portable_json',NULL,0,0,1795986999000,'null',NULL,NULL,0,'studiograph','bb0b5874-7305-4812-8353-09bf8db5214e');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-1:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795986999000,1795986999000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795986999000,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,NULL,'portable_json',NULL,0,0,1795986999000,'null',NULL,NULL,0,'studiograph','c861e485-55cb-4c53-8a5b-3414285bc9af');
INSERT INTO "workflow_status" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-2:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987008000,1795987008000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987008000,NULL,0,'sub_09912b9369b98959db19aa9af761ee50',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987008000,'null',NULL,NULL,0,'studiograph','91f58e19-8901-487d-8746-39f63bd617e9');
INSERT INTO "workflow_status" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-2:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987008000,1795987008000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987008000,NULL,0,'sub_119b60a9bb8f5e4c681ea059c37403f9',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987008000,'null',NULL,NULL,0,'studiograph','93427653-771f-40d5-9fa0-325f23f10e96');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-2:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987008000,1795987008000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987008000,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987008000,'null',NULL,NULL,0,'studiograph','24592dd2-d4f5-46cf-bc23-166710ce63c5');
INSERT INTO "workflow_status" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-3:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987016000,1795987016000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987016000,NULL,0,'sub_09912b9369b98959db19aa9af761ee50',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987016000,'null',NULL,NULL,0,'studiograph','984bca8b-3ae1-486d-8aae-144c67071280');
INSERT INTO "workflow_status" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-3:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987016000,1795987016000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987016000,NULL,0,'sub_119b60a9bb8f5e4c681ea059c37403f9',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987016000,'null',NULL,NULL,0,'studiograph','b13fff4b-a8e0-4136-abbe-4e4a8ca1ffb4');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987016000,1795987017000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987016000,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987017000,'null',NULL,NULL,0,'studiograph','a2971e5d-833b-4d5f-bb3d-d7ed915b0d52');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:2','DELAYED','dlv',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795987016000,1795987016000,'1','',NULL,NULL,0,'dlv',NULL,NULL,NULL,NULL,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,'dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-3:0:1','portable_json',1795990484381,0,0,NULL,'null',NULL,NULL,0,'studiograph','1e3dc30f-ea62-4bbd-bc83-f4d452c84984');
INSERT INTO "workflow_status" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:1','SUCCESS','mail',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987026000,1795987027000,'1',NULL,NULL,NULL,1,'mail',NULL,NULL,NULL,1795987027000,NULL,0,NULL,NULL,NULL,NULL,'portable_json',NULL,0,0,1795987027000,'null',NULL,NULL,0,'studiograph','ba80febd-47cd-44c7-8779-a93ad6119095');
INSERT INTO "workflow_status" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987026000,1795987041000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987026000,NULL,0,'sub_09912b9369b98959db19aa9af761ee50',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987041000,'null',NULL,NULL,0,'studiograph','ba0fea31-abe2-4f1a-be9d-df80cf1f4a7a');
INSERT INTO "workflow_status" VALUES('dlv:sub_119b60a9bb8f5e4c681ea059c37403f9:2026-11-03-trial-4:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987026000,1795987026000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987026000,NULL,0,'sub_119b60a9bb8f5e4c681ea059c37403f9',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987026000,'null',NULL,NULL,0,'studiograph','2dafe330-7268-4961-aae4-8fd0644785e3');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:1','SUCCESS','dlv',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987026000,1795987026000,'1',NULL,NULL,NULL,1,'dlv',NULL,NULL,NULL,1795987026000,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,NULL,'portable_json',NULL,0,0,1795987026000,'null',NULL,NULL,0,'studiograph','4571b2aa-8974-4e29-aa2d-08260d209ee6');
INSERT INTO "workflow_status" VALUES('dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:2','DELAYED','dlv',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795987026000,1795987026000,'1','',NULL,NULL,0,'dlv',NULL,NULL,NULL,NULL,NULL,0,'sub_d534852f2bf58b24e38910633846b3f6',NULL,NULL,'dlv:sub_d534852f2bf58b24e38910633846b3f6:2026-11-03-trial-4:0:1','portable_json',1795990867003,0,0,NULL,'null',NULL,NULL,0,'studiograph','8754dccf-3ff6-42a7-b03e-291709620935');
INSERT INTO "workflow_status" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:2','SUCCESS','mail',NULL,NULL,NULL,NULL,NULL,NULL,'slot-1',1795987027000,1795987032000,'1','',NULL,NULL,1,'mail',NULL,NULL,NULL,1795987032000,NULL,0,NULL,NULL,NULL,'mail:b98b2f83e10a4e168570b2bb65b90744:1','portable_json',1795987032358,0,0,1795987032000,'null',NULL,NULL,0,'studiograph','9913c04f-e226-40c6-9ea4-766eec2104d9');
INSERT INTO "workflow_status" VALUES('mail:b98b2f83e10a4e168570b2bb65b90744:3','DELAYED','mail',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795987032000,1795987032000,'1','',NULL,NULL,0,'mail',NULL,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,'mail:b98b2f83e10a4e168570b2bb65b90744:2','portable_json',1795987052756,0,0,NULL,'null',NULL,NULL,0,'studiograph','71d92a98-bd31-4b65-aca9-2071295f4545');
INSERT INTO "workflow_status" VALUES('dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:2','DELAYED','dlv',NULL,NULL,NULL,NULL,NULL,NULL,NULL,1795987041000,1795987041000,'1','',NULL,NULL,0,'dlv',NULL,NULL,NULL,NULL,NULL,0,'sub_09912b9369b98959db19aa9af761ee50',NULL,NULL,'dlv:sub_09912b9369b98959db19aa9af761ee50:2026-11-03-trial-4:0:1','portable_json',1795990911241,0,0,NULL,'null',NULL,NULL,0,'studiograph','26ae1414-e9c6-47df-8377-52ee72868e0f');
CREATE INDEX workflow_status_created_at_index ON workflow_status (created_at);
CREATE INDEX idx_workflow_topic ON notifications (destination_uuid, topic);
CREATE INDEX "idx_workflow_status_delayed" ON "workflow_status" ("delay_until_epoch_ms") WHERE status = 'DELAYED';
CREATE INDEX "idx_workflow_status_forked_from" ON "workflow_status" ("forked_from") WHERE "forked_from" IS NOT NULL;
CREATE INDEX "idx_workflow_status_parent_workflow_id" ON "workflow_status" ("parent_workflow_id") WHERE "parent_workflow_id" IS NOT NULL;
CREATE UNIQUE INDEX "uq_workflow_status_dedup_id" ON "workflow_status" ("queue_name", "deduplication_id") WHERE "deduplication_id" IS NOT NULL;
CREATE INDEX "idx_workflow_status_pending" ON "workflow_status" ("created_at") WHERE "status" = 'PENDING';
CREATE INDEX "idx_workflow_status_failed" ON "workflow_status" ("status", "created_at") WHERE "status" IN ('ERROR', 'CANCELLED', 'MAX_RECOVERY_ATTEMPTS_EXCEEDED');
CREATE INDEX "idx_workflow_status_rate_limited" ON "workflow_status" ("queue_name", "started_at_epoch_ms") WHERE "rate_limited" = TRUE;
CREATE INDEX "idx_workflow_status_completed_at" ON "workflow_status" ("completed_at") WHERE "completed_at" IS NOT NULL;
CREATE INDEX "idx_workflow_status_started_at" ON "workflow_status" ("started_at_epoch_ms") WHERE "started_at_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_workflow_status_schedule_name" ON "workflow_status" ("schedule_name") WHERE "schedule_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_owner_version"
    ON application_versions ("application_name", "version_name")
    WHERE "application_name" IS NOT NULL;
CREATE UNIQUE INDEX "uq_application_versions_unclaimed_version"
    ON application_versions ("version_name")
    WHERE "application_name" IS NULL;
CREATE INDEX idx_workflow_input_retention
    ON workflow_input (retention_timestamp);
CREATE INDEX idx_workflow_output_retention
    ON workflow_output (retention_timestamp);
CREATE INDEX idx_operation_outputs_retention
    ON operation_outputs (retention_timestamp);
CREATE INDEX "idx_workflow_status_in_flight_v2" ON "workflow_status" ("queue_name", "status", "priority", "created_at", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING');
CREATE INDEX "idx_workflow_status_partition_dequeue_v3" ON "workflow_status" ("queue_name", "status", "queue_partition_key", "priority", "created_at", "workflow_uuid", "application_name") WHERE "status" IN ('ENQUEUED', 'PENDING') AND "queue_partition_key" IS NOT NULL;
CREATE INDEX "idx_operation_outputs_completed_at_function_name_v2" ON "operation_outputs" ("completed_at_epoch_ms", "function_name", "application_name");
CREATE INDEX "idx_workflow_status_deadline" ON "workflow_status" ("workflow_deadline_epoch_ms") WHERE "status" IN ('ENQUEUED', 'PENDING', 'DELAYED') AND "workflow_deadline_epoch_ms" IS NOT NULL;
CREATE INDEX "idx_application_versions_timestamp" ON "application_versions" ("version_timestamp" DESC);
CREATE INDEX "idx_application_versions_owner_timestamp" ON "application_versions" ("application_name", "version_timestamp" DESC);
COMMIT;
