SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA dbos;
CREATE FUNCTION dbos.enqueue_workflow(workflow_name text, queue_name text, positional_args json[] DEFAULT ARRAY[]::json[], named_args json DEFAULT '{}'::json, class_name text DEFAULT NULL::text, config_name text DEFAULT NULL::text, workflow_id text DEFAULT NULL::text, app_version text DEFAULT NULL::text, timeout_ms bigint DEFAULT NULL::bigint, deadline_epoch_ms bigint DEFAULT NULL::bigint, deduplication_id text DEFAULT NULL::text, priority integer DEFAULT NULL::integer, queue_partition_key text DEFAULT NULL::text, authenticated_user text DEFAULT NULL::text, authenticated_roles text DEFAULT NULL::text, delay_until_epoch_ms bigint DEFAULT NULL::bigint, application_name text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_workflow_id TEXT;
    v_serialized_inputs TEXT;
    v_owner_xid TEXT;
    v_now BIGINT;
    v_recovery_attempts INT4 := 0;
    v_priority INT4;
    v_status TEXT;
BEGIN
    -- Validate required parameters
    IF workflow_name IS NULL OR workflow_name = '' THEN
        RAISE EXCEPTION 'Workflow name cannot be null or empty';
    END IF;
    IF queue_name IS NULL OR queue_name = '' THEN
        RAISE EXCEPTION 'Queue name cannot be null or empty';
    END IF;
    IF named_args IS NOT NULL AND jsonb_typeof(named_args::jsonb) != 'object' THEN
        RAISE EXCEPTION 'Named args must be a JSON object';
    END IF;
    IF workflow_id IS NOT NULL AND workflow_id = '' THEN
        RAISE EXCEPTION 'Workflow ID cannot be an empty string if provided.';
    END IF;
    IF delay_until_epoch_ms IS NOT NULL AND delay_until_epoch_ms < 0 THEN
        RAISE EXCEPTION 'delay_until_epoch_ms must be >= 0';
    END IF;
    v_workflow_id := COALESCE(workflow_id, gen_random_uuid()::TEXT);
    v_owner_xid := gen_random_uuid()::TEXT;
    v_priority := COALESCE(priority, 0);
    v_serialized_inputs := json_build_object(
        'positionalArgs', positional_args,
        'namedArgs', named_args
    )::TEXT;
    v_now := EXTRACT(epoch FROM now()) * 1000;
    v_status := CASE WHEN delay_until_epoch_ms IS NULL THEN 'ENQUEUED' ELSE 'DELAYED' END;
    INSERT INTO "dbos".workflow_status (
        workflow_uuid, status,
        name, class_name, config_name,
        queue_name, deduplication_id, priority, queue_partition_key,
        application_version,
        created_at, updated_at, recovery_attempts,
        workflow_timeout_ms, workflow_deadline_epoch_ms,
        parent_workflow_id, owner_xid, serialization,
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    ) VALUES (
        v_workflow_id, v_status,
        workflow_name, class_name, config_name,
        queue_name, deduplication_id, v_priority, queue_partition_key,
        app_version,
        v_now, v_now, v_recovery_attempts,
        timeout_ms, deadline_epoch_ms,
        NULL, v_owner_xid, 'portable_json',
        authenticated_user, authenticated_roles,
        delay_until_epoch_ms, application_name
    )
    ON CONFLICT (workflow_uuid)
    DO UPDATE SET
        updated_at = EXCLUDED.updated_at;
    INSERT INTO "dbos".workflow_input (
        workflow_uuid, inputs, retention_timestamp
    ) VALUES (
        v_workflow_id, v_serialized_inputs, v_now
    )
    ON CONFLICT (workflow_uuid) DO NOTHING;
    RETURN v_workflow_id;
EXCEPTION
    WHEN unique_violation THEN
        RAISE EXCEPTION 'DBOS queue duplicated'
            USING DETAIL = format('Workflow %s with queue %s and deduplication ID %s already exists', v_workflow_id, queue_name, deduplication_id),
                ERRCODE = 'unique_violation';
END;
$$;
CREATE FUNCTION dbos.send_message(destination_id text, message json, topic text DEFAULT NULL::text, message_id text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    v_topic TEXT := COALESCE(topic, '__null__topic__');
    v_message_id TEXT := COALESCE(message_id, gen_random_uuid()::TEXT);
BEGIN
    INSERT INTO "dbos".notifications (
        destination_uuid, topic, message, message_uuid, serialization
    ) VALUES (
        destination_id, v_topic, message, v_message_id, 'portable_json'
    )
    ON CONFLICT (message_uuid) DO NOTHING;
EXCEPTION
    WHEN foreign_key_violation THEN
        RAISE EXCEPTION 'DBOS non-existent workflow'
            USING DETAIL = format('Destination workflow %s does not exist', destination_id),
                ERRCODE = 'foreign_key_violation';
END;
$$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE dbos.application_versions (
    version_id text NOT NULL,
    version_name text NOT NULL,
    version_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text
);
CREATE TABLE dbos.dbos_migrations (
    version bigint NOT NULL
);
CREATE TABLE dbos.event_dispatch_kv (
    service_name text NOT NULL,
    workflow_fn_name text NOT NULL,
    key text NOT NULL,
    value text,
    update_seq numeric(38,0),
    update_time numeric(38,15)
);
CREATE TABLE dbos.notifications (
    message_uuid text DEFAULT gen_random_uuid() NOT NULL,
    destination_uuid text NOT NULL,
    topic text,
    message text NOT NULL,
    created_at_epoch_ms bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    serialization text,
    consumed boolean DEFAULT false NOT NULL,
    consumed_by_function_id integer
);
CREATE TABLE dbos.operation_outputs (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    function_name text DEFAULT ''::text NOT NULL,
    output text,
    error text,
    child_workflow_id text,
    started_at_epoch_ms bigint,
    completed_at_epoch_ms bigint,
    serialization text,
    application_name text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);
CREATE TABLE dbos.queues (
    queue_id text DEFAULT (gen_random_uuid())::text NOT NULL,
    name text NOT NULL,
    concurrency integer,
    worker_concurrency integer,
    rate_limit_max integer,
    rate_limit_period_sec double precision,
    priority_enabled boolean DEFAULT false NOT NULL,
    partition_queue boolean DEFAULT false NOT NULL,
    polling_interval_sec double precision DEFAULT 1.0 NOT NULL,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_name text,
    partition_concurrency integer,
    partition_worker_concurrency integer,
    partition_rate_limit_max integer,
    partition_rate_limit_period_sec double precision
);
CREATE TABLE dbos.streams (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    "offset" integer NOT NULL,
    function_id integer DEFAULT 0 NOT NULL,
    serialization text
);
CREATE TABLE dbos.workflow_events (
    workflow_uuid text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);
CREATE TABLE dbos.workflow_events_history (
    workflow_uuid text NOT NULL,
    function_id integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    serialization text
);
CREATE TABLE dbos.workflow_input (
    workflow_uuid text NOT NULL,
    inputs text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);
CREATE TABLE dbos.workflow_output (
    workflow_uuid text NOT NULL,
    output text,
    error text,
    retention_timestamp bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL
);
CREATE TABLE dbos.workflow_schedules (
    schedule_id text NOT NULL,
    schedule_name text NOT NULL,
    workflow_name text NOT NULL,
    workflow_class_name text,
    schedule text NOT NULL,
    status text DEFAULT 'ACTIVE'::text NOT NULL,
    context text NOT NULL,
    last_fired_at text,
    automatic_backfill boolean DEFAULT false NOT NULL,
    cron_timezone text,
    queue_name text,
    application_name text
);
CREATE TABLE dbos.workflow_status (
    workflow_uuid text NOT NULL,
    status text,
    name text,
    authenticated_user text,
    assumed_role text,
    authenticated_roles text,
    request text,
    output text,
    error text,
    executor_id text,
    created_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    updated_at bigint DEFAULT ((EXTRACT(epoch FROM now()) * 1000.0))::bigint NOT NULL,
    application_version text,
    application_id text,
    class_name character varying(255) DEFAULT NULL::character varying,
    config_name character varying(255) DEFAULT NULL::character varying,
    recovery_attempts bigint DEFAULT 0,
    queue_name text,
    workflow_timeout_ms bigint,
    workflow_deadline_epoch_ms bigint,
    inputs text,
    started_at_epoch_ms bigint,
    deduplication_id text,
    priority integer DEFAULT 0 NOT NULL,
    queue_partition_key text,
    forked_from text,
    owner_xid text,
    parent_workflow_id text,
    serialization text,
    delay_until_epoch_ms bigint,
    was_forked_from boolean DEFAULT false NOT NULL,
    rate_limited boolean DEFAULT false NOT NULL,
    completed_at bigint,
    attributes jsonb,
    schedule_name text,
    debounce_deadline_epoch_ms bigint,
    is_debounced boolean DEFAULT false NOT NULL,
    application_name text,
    creator_xid text
);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.answered (
    sender text NOT NULL,
    domain text NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.asked_question (
    day text NOT NULL,
    text text NOT NULL,
    kind text NOT NULL,
    channel text NOT NULL,
    answered integer NOT NULL,
    caller integer NOT NULL,
    number integer NOT NULL
);
CREATE TABLE public.challenge (
    host text NOT NULL,
    ends_at double precision NOT NULL
);
CREATE TABLE public.delivery_attempt (
    delivery text NOT NULL,
    round integer NOT NULL,
    n integer NOT NULL,
    subscription text NOT NULL,
    entry text NOT NULL,
    at double precision NOT NULL,
    status integer,
    ms integer NOT NULL,
    error text,
    verdict text NOT NULL,
    due_at double precision
);
CREATE TABLE public.entry (
    log integer NOT NULL,
    place integer NOT NULL,
    id text NOT NULL,
    leaf bytea NOT NULL
);
CREATE TABLE public.idempotency (
    key text NOT NULL,
    request text NOT NULL,
    response text,
    claimed_at double precision NOT NULL
);
CREATE TABLE public.key (
    kid text NOT NULL,
    x bytea NOT NULL
);
CREATE TABLE public.log (
    number integer NOT NULL,
    origin text NOT NULL,
    tree_size integer,
    rollup_hash text,
    checkpoint text,
    ended_at text,
    reason text
);
CREATE TABLE public.mail (
    id text NOT NULL,
    identity text NOT NULL,
    sender text NOT NULL,
    recipients text NOT NULL,
    data bytea,
    received_at double precision NOT NULL,
    state text NOT NULL,
    forwarded_at double precision,
    replied_at double precision
);
CREATE TABLE public.missing_path (
    day text NOT NULL,
    path text NOT NULL,
    number integer NOT NULL
);
CREATE TABLE public.publication (
    entry text NOT NULL,
    published_at text NOT NULL,
    body bytea NOT NULL,
    seen_at double precision NOT NULL,
    deliveries integer NOT NULL,
    done integer NOT NULL
);
CREATE TABLE public.published_text (
    name text NOT NULL,
    text text NOT NULL
);
CREATE TABLE public.rate_limit (
    key text NOT NULL,
    hits integer NOT NULL,
    expires_at double precision NOT NULL
);
CREATE TABLE public.request_count (
    day text NOT NULL,
    operation text NOT NULL,
    agent text NOT NULL,
    status integer NOT NULL,
    number integer NOT NULL
);
CREATE TABLE public.revoked (
    kid text NOT NULL
);
CREATE TABLE public.signing (
    payload text NOT NULL,
    kid text NOT NULL,
    signed_at text NOT NULL
);
CREATE TABLE public.statement (
    name text NOT NULL,
    place integer NOT NULL,
    hash bytea
);
CREATE TABLE public.subscription (
    id text NOT NULL,
    url text NOT NULL,
    owner text NOT NULL,
    kinds text NOT NULL,
    secret bytea NOT NULL,
    created_at double precision NOT NULL,
    cursor text NOT NULL,
    disabled_at double precision,
    disabled_reason text,
    first_failure_at double precision,
    last_success_at double precision,
    consecutive_failures integer NOT NULL
);
CREATE TABLE public.webhook_key (
    name text NOT NULL,
    fingerprint text NOT NULL
);
CREATE TABLE public.words (
    place integer NOT NULL,
    origin text NOT NULL,
    leaf text NOT NULL,
    leaf_hash bytea NOT NULL
);
INSERT INTO dbos.application_versions VALUES ('b667b4ea-700d-440a-a040-c0116e9df188', '1', 1795987054434, 1795987054434, 'studiograph');
INSERT INTO dbos.dbos_migrations VALUES (125);
INSERT INTO dbos.operation_outputs VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:1', 1, 'dlv', NULL, NULL, 'dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:2', 1795987100554, 1795987100567, NULL, 'studiograph', 1795987100561);
INSERT INTO dbos.operation_outputs VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:1', 1, 'dlv', NULL, NULL, 'dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:2', 1795987123183, 1795987123219, NULL, 'studiograph', 1795987123186);
INSERT INTO dbos.operation_outputs VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:1', 1, 'mail', NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:2', 1795987123279, 1795987123286, NULL, 'studiograph', 1795987123281);
INSERT INTO dbos.operation_outputs VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:2', 1, 'mail', NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:3', 1795987129639, 1795987129642, NULL, 'studiograph', 1795987129640);
INSERT INTO dbos.operation_outputs VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:1', 1, 'dlv', NULL, NULL, 'dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:2', 1795987137997, 1795987138000, NULL, 'studiograph', 1795987137999);
INSERT INTO dbos.operation_outputs VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:3', 1, 'mail', NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:4', 1795987151127, 1795987151129, NULL, 'studiograph', 1795987151128);
INSERT INTO dbos.queues VALUES ('458b27df-d508-4a1c-8b58-72d85c094a20', 'mail', NULL, 8, NULL, NULL, true, false, 1, 1795987054022, 1795987121906, 'studiograph', NULL, NULL, NULL, NULL);
INSERT INTO dbos.queues VALUES ('b39ec83c-3946-45e8-8a90-47502581e2b8', 'dlv', NULL, 50, NULL, NULL, true, true, 0.2, 1795987054166, 1795987121935, 'studiograph', 1, NULL, NULL, NULL);
INSERT INTO dbos.workflow_input VALUES ('mail:626cc899b03f45269101ff45b675029f:1', '{"namedArgs":{},"positionalArgs":["626cc899b03f45269101ff45b675029f",1]}', 1795987054664);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-1:0:1', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-1:0",1]}', 1795987058963);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-1:0:1', '{"namedArgs":{},"positionalArgs":["sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-1:0",1]}', 1795987058963);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-1:0:1', '{"namedArgs":{},"positionalArgs":["sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-1:0",1]}', 1795987058963);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-2:0:1', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-2:0",1]}', 1795987080079);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-2:0:1', '{"namedArgs":{},"positionalArgs":["sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-2:0",1]}', 1795987080079);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-2:0:1', '{"namedArgs":{},"positionalArgs":["sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-2:0",1]}', 1795987080079);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:1', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0",1]}', 1795987100256);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-3:0:1', '{"namedArgs":{},"positionalArgs":["sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-3:0",1]}', 1795987100256);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-3:0:1', '{"namedArgs":{},"positionalArgs":["sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-3:0",1]}', 1795987100256);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:2', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0",2]}', 1795987100561);
INSERT INTO dbos.workflow_input VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:1', '{"namedArgs":{},"positionalArgs":["ea3f12b38b5145aeaccd3a958c823fb5",1]}', 1795987122080);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:1', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0",1]}', 1795987122114);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:1', '{"namedArgs":{},"positionalArgs":["sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0",1]}', 1795987122114);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-4:0:1', '{"namedArgs":{},"positionalArgs":["sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-4:0",1]}', 1795987122114);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:2', '{"namedArgs":{},"positionalArgs":["sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0",2]}', 1795987123186);
INSERT INTO dbos.workflow_input VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:2', '{"namedArgs":{},"positionalArgs":["ea3f12b38b5145aeaccd3a958c823fb5",2]}', 1795987123281);
INSERT INTO dbos.workflow_input VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:3', '{"namedArgs":{},"positionalArgs":["ea3f12b38b5145aeaccd3a958c823fb5",3]}', 1795987129640);
INSERT INTO dbos.workflow_input VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:2', '{"namedArgs":{},"positionalArgs":["sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0",2]}', 1795987137999);
INSERT INTO dbos.workflow_input VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:4', '{"namedArgs":{},"positionalArgs":["ea3f12b38b5145aeaccd3a958c823fb5",4]}', 1795987151128);
INSERT INTO dbos.workflow_output VALUES ('mail:626cc899b03f45269101ff45b675029f:1', 'null', NULL, 1795987056400);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-1:0:1', 'null', NULL, 1795987059356);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-1:0:1', 'null', NULL, 1795987059357);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-1:0:1', 'null', NULL, 1795987059370);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-2:0:1', 'null', NULL, 1795987080240);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-2:0:1', 'null', NULL, 1795987080260);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-2:0:1', 'null', NULL, 1795987080282);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-3:0:1', 'null', NULL, 1795987100571);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:1', 'null', NULL, 1795987100574);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-3:0:1', 'null', NULL, 1795987100575);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-4:0:1', 'null', NULL, 1795987123187);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:1', 'null', NULL, 1795987123273);
INSERT INTO dbos.workflow_output VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:1', 'null', NULL, 1795987123294);
INSERT INTO dbos.workflow_output VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:2', 'null', NULL, 1795987129652);
INSERT INTO dbos.workflow_output VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:1', 'null', NULL, 1795987138010);
INSERT INTO dbos.workflow_output VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:3', 'null', NULL, 1795987151135);
INSERT INTO dbos.workflow_status VALUES ('mail:626cc899b03f45269101ff45b675029f:1', 'SUCCESS', 'mail', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987054664, 1795987056400, '1', NULL, NULL, NULL, 1, 'mail', NULL, NULL, NULL, 1795987055796, NULL, 0, NULL, NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987056400, 'null', NULL, NULL, false, 'studiograph', '5412a291-0a62-417a-bafc-c11f3edf48f2');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-1:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987058963, 1795987059356, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987059125, NULL, 0, 'sub_09822ccdbd696fa81c8f1efa8e441a15', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987059356, 'null', NULL, NULL, false, 'studiograph', '228af09a-f9e2-4f05-a888-09b87f0d9f0f');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-1:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987058963, 1795987059357, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987059125, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987059357, 'null', NULL, NULL, false, 'studiograph', 'd3f4d2fd-525b-43e3-94d8-1c7f23b592c2');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-1:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987058963, 1795987059370, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987059125, NULL, 0, 'sub_7fd1bca383d656717a3384642af956e9', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987059370, 'null', NULL, NULL, false, 'studiograph', '39dee6ea-ce5f-4a83-9cde-bfb76f876e81');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-2:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987080079, 1795987080240, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987080161, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987080240, 'null', NULL, NULL, false, 'studiograph', '3a0b0da6-1da5-4e6d-a9de-f0b40becfdce');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-2:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987080079, 1795987080260, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987080161, NULL, 0, 'sub_09822ccdbd696fa81c8f1efa8e441a15', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987080260, 'null', NULL, NULL, false, 'studiograph', '223058f1-b6f2-48b6-bc12-d859be2b184d');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-2:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987080079, 1795987080282, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987080161, NULL, 0, 'sub_7fd1bca383d656717a3384642af956e9', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987080282, 'null', NULL, NULL, false, 'studiograph', '9e3fb845-eb1c-4cd6-87c9-2da330444844');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:2', 'DELAYED', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795987100561, 1795987100561, '1', '', NULL, NULL, 0, 'dlv', NULL, NULL, NULL, NULL, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, 'dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:1', 'portable_json', 1795990347399, false, false, NULL, 'null', NULL, NULL, false, 'studiograph', 'bb2b879b-2e41-4a73-82e9-0cb0c1ceb37a');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-3:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987100256, 1795987100571, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987100455, NULL, 0, 'sub_7fd1bca383d656717a3384642af956e9', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987100571, 'null', NULL, NULL, false, 'studiograph', '1b5f21b2-e61e-4e2c-95a1-1ee702966472');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-3:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987100256, 1795987100574, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987100455, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987100574, 'null', NULL, NULL, false, 'studiograph', '91cc0012-686d-40a6-95f4-03dc4fa99194');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-3:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987100256, 1795987100575, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987100455, NULL, 0, 'sub_09822ccdbd696fa81c8f1efa8e441a15', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987100575, 'null', NULL, NULL, false, 'studiograph', '466c69f2-96fe-487b-b0b7-480c7400baa7');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_7fd1bca383d656717a3384642af956e9:2026-11-03-trial-4:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987122114, 1795987123187, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987122311, NULL, 0, 'sub_7fd1bca383d656717a3384642af956e9', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987123187, 'null', NULL, NULL, false, 'studiograph', '894c5cf6-dbef-4829-aa88-07f223314d98');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:2', 'DELAYED', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795987123186, 1795987123186, '1', '', NULL, NULL, 0, 'dlv', NULL, NULL, NULL, NULL, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, 'dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:1', 'portable_json', 1795990453291, false, false, NULL, 'null', NULL, NULL, false, 'studiograph', '525be335-dd9d-4717-8d61-50df95ce42b8');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_05c0e6f126a21b1ac03e25fe8bba7ade:2026-11-03-trial-4:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987122114, 1795987123273, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987122311, NULL, 0, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987123273, 'null', NULL, NULL, false, 'studiograph', '414bf681-a499-4d99-8573-6d7431d42cd5');
INSERT INTO dbos.workflow_status VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:1', 'SUCCESS', 'mail', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987122080, 1795987123294, '1', NULL, NULL, NULL, 1, 'mail', NULL, NULL, NULL, 1795987123136, NULL, 0, NULL, NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987123294, 'null', NULL, NULL, false, 'studiograph', '87cb1388-6983-453d-9358-e2b3770c8744');
INSERT INTO dbos.workflow_status VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:2', 'SUCCESS', 'mail', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987123281, 1795987129652, '1', '', NULL, NULL, 1, 'mail', NULL, NULL, NULL, 1795987129540, NULL, 0, NULL, NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:1', 'portable_json', 1795987128279, false, false, 1795987129652, 'null', NULL, NULL, false, 'studiograph', 'a484c542-f7dc-447b-a069-8d3f2d8c85c9');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:2', 'DELAYED', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795987137999, 1795987137999, '1', '', NULL, NULL, 0, 'dlv', NULL, NULL, NULL, NULL, NULL, 0, 'sub_09822ccdbd696fa81c8f1efa8e441a15', NULL, NULL, 'dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:1', 'portable_json', 1795990633656, false, false, NULL, 'null', NULL, NULL, false, 'studiograph', 'ad296f05-088e-40ac-8782-0857431eb4b4');
INSERT INTO dbos.workflow_status VALUES ('dlv:sub_09822ccdbd696fa81c8f1efa8e441a15:2026-11-03-trial-4:0:1', 'SUCCESS', 'dlv', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987122114, 1795987138010, '1', NULL, NULL, NULL, 1, 'dlv', NULL, NULL, NULL, 1795987122311, NULL, 0, 'sub_09822ccdbd696fa81c8f1efa8e441a15', NULL, NULL, NULL, 'portable_json', NULL, false, false, 1795987138010, 'null', NULL, NULL, false, 'studiograph', '563891eb-fde8-4e0f-a490-084a794b9ca0');
INSERT INTO dbos.workflow_status VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:4', 'DELAYED', 'mail', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1795987151128, 1795987151128, '1', '', NULL, NULL, 0, 'mail', NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:3', 'portable_json', 1795987231127, false, false, NULL, 'null', NULL, NULL, false, 'studiograph', 'af10d307-3d71-4dcc-9910-fd6d160a461d');
INSERT INTO dbos.workflow_status VALUES ('mail:ea3f12b38b5145aeaccd3a958c823fb5:3', 'SUCCESS', 'mail', NULL, NULL, NULL, NULL, NULL, NULL, 'slot-1', 1795987129640, 1795987151135, '1', '', NULL, NULL, 1, 'mail', NULL, NULL, NULL, 1795987151048, NULL, 0, NULL, NULL, NULL, 'mail:ea3f12b38b5145aeaccd3a958c823fb5:2', 'portable_json', 1795987149639, false, false, 1795987151135, 'null', NULL, NULL, false, 'studiograph', '94bcdb49-5719-4d6b-9590-a36cb5ce87a3');
INSERT INTO public.alembic_version VALUES ('0005');
INSERT INTO public.delivery_attempt VALUES ('msg_f50dc5904f5aa8507ad2cdd1640294bc', 0, 1, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', '2026-11-03-trial-1', 1795987059.247329, 200, 78, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_a8e2951497e4750a37dc32fca013f8c8', 0, 1, 'sub_09822ccdbd696fa81c8f1efa8e441a15', '2026-11-03-trial-1', 1795987059.248004, 200, 79, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_3c3936a28aa2c1eb21dd0fa829dbb81a', 0, 1, 'sub_7fd1bca383d656717a3384642af956e9', '2026-11-03-trial-1', 1795987059.325648, 200, 7, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_9d1153480230c67af764410c16683a48', 0, 1, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', '2026-11-03-trial-2', 1795987080.209727, 200, 8, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_65c86c4315cd0d9b13c6f0c422d9ec0d', 0, 1, 'sub_09822ccdbd696fa81c8f1efa8e441a15', '2026-11-03-trial-2', 1795987080.214043, 200, 13, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_0ed5f4a0d69e55f0add921b2a5c28bd9', 0, 1, 'sub_7fd1bca383d656717a3384642af956e9', '2026-11-03-trial-2', 1795987080.214601, 200, 13, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_c7b5c8a830b92c832ff6a2fed94fa7f5', 0, 1, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', '2026-11-03-trial-3', 1795987100.48757, 503, 8, NULL, 'retry', 1795990348.3511);
INSERT INTO public.delivery_attempt VALUES ('msg_8cf33bed12dca86fb76abc1de02e3529', 0, 1, 'sub_09822ccdbd696fa81c8f1efa8e441a15', '2026-11-03-trial-3', 1795987100.496511, 200, 16, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_a11acb1391ebef2839bd6e781858ddee', 0, 1, 'sub_7fd1bca383d656717a3384642af956e9', '2026-11-03-trial-3', 1795987100.497075, 200, 16, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_690538aab32d1c3a261c75fb232cf9ae', 0, 1, 'sub_05c0e6f126a21b1ac03e25fe8bba7ade', '2026-11-03-trial-4', 1795987122.389522, 503, 728, NULL, 'retry', 1795990454.258457);
INSERT INTO public.delivery_attempt VALUES ('msg_8feed86cc4ed804077fe151f242d00a7', 0, 1, 'sub_7fd1bca383d656717a3384642af956e9', '2026-11-03-trial-4', 1795987122.403873, 200, 722, NULL, 'delivered', NULL);
INSERT INTO public.delivery_attempt VALUES ('msg_1e8bcf293ea3efb10924c1bf71d62aee', 0, 1, 'sub_09822ccdbd696fa81c8f1efa8e441a15', '2026-11-03-trial-4', 1795987122.403341, NULL, 15573, 'too slow: no complete response in time', 'retry', 1795990634.647182);
INSERT INTO public.entry VALUES (1, 0, '2026-11-03-trial-1', '\x08f41fe698fcb38c52abfb6939c9cd21251c2097ac7b9a2b9e6e978b03cd4703');
INSERT INTO public.entry VALUES (1, 1, '2026-11-03-trial-2', '\x15e90232fd7bcd2927acbad896b08d381db3ca45ceb653d42c2bc40c3525c063');
INSERT INTO public.entry VALUES (1, 2, '2026-11-03-trial-3', '\xc6690fa1ad8b5a4dfa9c6e04129fd6b7e5c89a4a4b3909b5725d0c5a798ebc61');
INSERT INTO public.entry VALUES (1, 3, '2026-11-03-trial-4', '\xd01cac75fc4fca40dbe39854a0e5daac78a6983070cec8582a4996f47a68563e');
INSERT INTO public.idempotency VALUES ('4ce20bd73d789580eef17cab2f1749d323878daf42688f78427cd7e522098b6d', '7ccb5a3a2bdfcdd5249b2aca68be89b8bbac954c5070e8e0932f6cb1a1192596', '{"ok":true,"id":"c-207fb012d4e995b76da6186d1a9575c8","deliveredAt":"2026-11-29T21:17:31Z","responseWithin":"24h"}', 1795987051.2106998);
INSERT INTO public.key VALUES ('saltmarsh-7e9363cf-2026-11', '\xda4364327a8c390329543765cc32dc55178c422a5278935209104ff89d792ba3');
INSERT INTO public.key VALUES ('saltmarsh-ea85fb47-2026-11-2', '\xf8b3c7e84a84752d05ab0f7cf2054b50c02c7048c9a88c2dd824f219444d8536');
INSERT INTO public.key VALUES ('saltmarsh-ff0f632e-2026-11-3', '\x21aa663be807be442814eeb25a90b22819d1d8031876c5b9e6c87d073601f6f9');
INSERT INTO public.log VALUES (1, 'saltmarsh.example/changelog', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.mail VALUES ('626cc899b03f45269101ff45b675029f', 'a5c0552b7c27cee4181dd1a45f9aeeac693d024572f9959fe9247fec36ae2761', '', '[]', NULL, 1795987051.5398827, 'answerable', 1795987056.2399778, NULL);
INSERT INTO public.mail VALUES ('ea3f12b38b5145aeaccd3a958c823fb5', '33fd2bdd9ae2f5e8d3a85b1098066446aad1951409d5a04c06374e6f74b3af63', 'bob@example.net', '["agents@saltmarsh.example"]', '\x46726f6d3a20626f62406578616d706c652e6e65740d0a546f3a206167656e74734073616c746d617273682e6578616d706c650d0a4d6573736167652d49443a203c32406578616d706c652e6e65743e0d0a5375626a6563743a205461626c657320320d0a0d0a5768617420646f65732061207461626c6520636f73743f0d0a', 1795987120.7272341, 'waiting', NULL, NULL);
INSERT INTO public.missing_path VALUES ('2026-11-29', '/pricing', 1);
INSERT INTO public.publication VALUES ('2026-11-03-trial-1', '2026-11-03T00:00:01Z', '\x7b2274797065223a226368616e67656c6f672e6164646564222c2274696d657374616d70223a22323032362d31312d30335430303a30303a30315a222c2264617461223a7b226964223a22323032362d31312d30332d747269616c2d31222c227075626c69736865644174223a22323032362d31312d30335430303a30303a30315a222c226b696e64223a226164646564222c227469746c65223a22547269616c2031222c22626f6479223a22536f6d657468696e6720746f20626520746f6c642e227d7d', 1795987058.9194531, 0, 0);
INSERT INTO public.publication VALUES ('2026-11-03-trial-2', '2026-11-03T00:00:02Z', '\x7b2274797065223a226368616e67656c6f672e6164646564222c2274696d657374616d70223a22323032362d31312d30335430303a30303a30325a222c2264617461223a7b226964223a22323032362d31312d30332d747269616c2d32222c227075626c69736865644174223a22323032362d31312d30335430303a30303a30325a222c226b696e64223a226164646564222c227469746c65223a22547269616c2032222c22626f6479223a22536f6d657468696e6720746f20626520746f6c642e227d7d', 1795987080.0736783, 0, 0);
INSERT INTO public.publication VALUES ('2026-11-03-trial-3', '2026-11-03T00:00:03Z', '\x7b2274797065223a226368616e67656c6f672e6164646564222c2274696d657374616d70223a22323032362d31312d30335430303a30303a30335a222c2264617461223a7b226964223a22323032362d31312d30332d747269616c2d33222c227075626c69736865644174223a22323032362d31312d30335430303a30303a30335a222c226b696e64223a226164646564222c227469746c65223a22547269616c2033222c22626f6479223a22536f6d657468696e6720746f20626520746f6c642e227d7d', 1795987100.2478292, 0, 0);
INSERT INTO public.publication VALUES ('2026-11-03-trial-4', '2026-11-03T00:00:04Z', '\x7b2274797065223a226368616e67656c6f672e6164646564222c2274696d657374616d70223a22323032362d31312d30335430303a30303a30345a222c2264617461223a7b226964223a22323032362d31312d30332d747269616c2d34222c227075626c69736865644174223a22323032362d31312d30335430303a30303a30345a222c226b696e64223a226164646564222c227469746c65223a22547269616c2034222c22626f6479223a22536f6d657468696e6720746f20626520746f6c642e227d7d', 1795987122.0764656, 0, 0);
INSERT INTO public.published_text VALUES ('about', '{"data":{"studio":{"certifications":[],"contact":{"email":"ana@saltmarsh.example","programmaticEmail":"agents@saltmarsh.example"},"convictions":[],"currentlyStudying":[],"founder":{"formation":[],"handles":[],"mantras":[],"name":"Ana Silva","traits":[]},"journey":[],"languages":[],"lookingFor":[],"name":"Saltmarsh","oneLiner":"Saltmarsh draws tide tables for small harbours","practice":[],"social":[],"url":"https://saltmarsh.example"}},"name":"about"}');
INSERT INTO public.published_text VALUES ('domains', '{"data":[],"name":"domains"}');
INSERT INTO public.published_text VALUES ('projects', '{"data":[],"name":"projects"}');
INSERT INTO public.published_text VALUES ('changelog/2026-11-03-trial-1', '{"data":{"body":"Something to be told.","id":"2026-11-03-trial-1","kind":"added","publishedAt":"2026-11-03T00:00:01Z","title":"Trial 1"},"name":"changelog/2026-11-03-trial-1"}');
INSERT INTO public.published_text VALUES ('changelog/2026-11-03-trial-2', '{"data":{"body":"Something to be told.","id":"2026-11-03-trial-2","kind":"added","publishedAt":"2026-11-03T00:00:02Z","title":"Trial 2"},"name":"changelog/2026-11-03-trial-2"}');
INSERT INTO public.published_text VALUES ('faq', '{"data":[{"a":"From nine to six on weekdays.","q":"When is the desk open?","tags":[]}],"name":"faq"}');
INSERT INTO public.published_text VALUES ('faq/when-is-the-desk-open', '{"data":{"a":"From nine to six on weekdays.","q":"When is the desk open?","tags":[]},"name":"faq/when-is-the-desk-open"}');
INSERT INTO public.published_text VALUES ('changelog/2026-11-03-trial-3', '{"data":{"body":"Something to be told.","id":"2026-11-03-trial-3","kind":"added","publishedAt":"2026-11-03T00:00:03Z","title":"Trial 3"},"name":"changelog/2026-11-03-trial-3"}');
INSERT INTO public.published_text VALUES ('changelog', '{"data":[{"body":"Something to be told.","id":"2026-11-03-trial-4","kind":"added","publishedAt":"2026-11-03T00:00:04Z","title":"Trial 4"},{"body":"Something to be told.","id":"2026-11-03-trial-3","kind":"added","publishedAt":"2026-11-03T00:00:03Z","title":"Trial 3"},{"body":"Something to be told.","id":"2026-11-03-trial-2","kind":"added","publishedAt":"2026-11-03T00:00:02Z","title":"Trial 2"},{"body":"Something to be told.","id":"2026-11-03-trial-1","kind":"added","publishedAt":"2026-11-03T00:00:01Z","title":"Trial 1"}],"name":"changelog"}');
INSERT INTO public.published_text VALUES ('changelog/2026-11-03-trial-4', '{"data":{"body":"Something to be told.","id":"2026-11-03-trial-4","kind":"added","publishedAt":"2026-11-03T00:00:04Z","title":"Trial 4"},"name":"changelog/2026-11-03-trial-4"}');
INSERT INTO public.published_text VALUES ('manifest', '{"data":{"changelog":[{"body":"Something to be told.","id":"2026-11-03-trial-4","kind":"added","publishedAt":"2026-11-03T00:00:04Z","title":"Trial 4"},{"body":"Something to be told.","id":"2026-11-03-trial-3","kind":"added","publishedAt":"2026-11-03T00:00:03Z","title":"Trial 3"},{"body":"Something to be told.","id":"2026-11-03-trial-2","kind":"added","publishedAt":"2026-11-03T00:00:02Z","title":"Trial 2"},{"body":"Something to be told.","id":"2026-11-03-trial-1","kind":"added","publishedAt":"2026-11-03T00:00:01Z","title":"Trial 1"}],"domains":[],"faq":[{"a":"From nine to six on weekdays.","q":"When is the desk open?","tags":[]}],"glossary":[],"headlineNumbers":[],"projects":[],"revision":"sha256:9e2548f90f6e630a31fa0c4b3e0f62becc52793cd8b600cc68efede149617bd6","rollupHash":"sha256:c8425504991d199672bffd1a925024af90bc3bec8af6975f25692013b3cb4b0a","status":{"asOf":"2026-11-03T00:00:04Z","projects":[],"studying":[]},"studio":{"certifications":[],"contact":{"email":"ana@saltmarsh.example","programmaticEmail":"agents@saltmarsh.example"},"convictions":[],"currentlyStudying":[],"founder":{"formation":[],"handles":[],"mantras":[],"name":"Ana Silva","traits":[]},"journey":[],"languages":[],"lookingFor":[],"name":"Saltmarsh","oneLiner":"Saltmarsh draws tide tables for small harbours","practice":[],"social":[],"url":"https://saltmarsh.example"},"version":"2.0.0"},"name":"manifest"}');
INSERT INTO public.published_text VALUES ('status', '{"data":{"asOf":"2026-11-03T00:00:04Z","projects":[],"studying":[]},"name":"status"}');
INSERT INTO public.rate_limit VALUES ('subscribe-host/3600/65bf239285d4f91551d5d9d54438da2f', 3, 1795990649.797518);
INSERT INTO public.rate_limit VALUES ('contact/3600/12ca17b49af2289436f303e0166030a2', 1, 1795990651.206398);
INSERT INTO public.rate_limit VALUES ('chat/3600/12ca17b49af2289436f303e0166030a2', 1, 1795990656.899818);
INSERT INTO public.request_count VALUES ('2026-11-29', '/readyz', 'script', 200, 1);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/subscribe', 'script', 201, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/contact', 'script', 200, 1);
INSERT INTO public.request_count VALUES ('2026-11-29', '-', 'script', 404, 1);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/faq', 'script', 200, 1);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/chat', 'script', 503, 1);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/manifest', 'script', 200, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/.well-known/jwks.json', 'script', 200, 7);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/manifest.sig', 'script', 200, 6);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/changelog.sig', 'script', 200, 6);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/changelog', 'script', 200, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/snapshot.sig', 'script', 400, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/snapshot.sig', 'script', 200, 12);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/log/checkpoint', 'script', 200, 6);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/log/proof', 'script', 200, 5);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/words', 'script', 200, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/words/checkpoint', 'script', 200, 6);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/proof', 'script', 200, 3);
INSERT INTO public.request_count VALUES ('2026-11-29', '/api/log', 'script', 200, 3);
INSERT INTO public.revoked VALUES ('saltmarsh-ea85fb47-2026-11-2');
INSERT INTO public.signing VALUES ('sha256:53dd87a014901ac799b2e0f58056ffcee4a9c222595dc7f7be654b6e2151f41e', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:28Z');
INSERT INTO public.signing VALUES ('sha256:ef79b35e7ec46c4fc7b26e699411dd8bd6321b8bd484f2dd7669c3befe7b9a4d', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:28Z');
INSERT INTO public.signing VALUES ('sha256:cea6054f61207a377041585afb0d400ae5a6b7a50004967beea671f3194d4376', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:28Z');
INSERT INTO public.signing VALUES ('sha256:afcd841c1fe3edadd17beb2730108a5af636cf38a0bd347fdf0315740ee64391', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:28Z');
INSERT INTO public.signing VALUES ('sha256:ca6104bdb2d2b1bbc15674455e75bf9399aaa43a357f009547e07041024a5fa6', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:28Z');
INSERT INTO public.signing VALUES ('sha256:d43eb3ec69351d8502f64a2e0d49a52b846604cb42af4db150c8cdb626022d62', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:37Z');
INSERT INTO public.signing VALUES ('sha256:e289c343f59f2746554a9b7d7cf416672a13259258b2e0b4ed1c32caa50a2aa8', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:37Z');
INSERT INTO public.signing VALUES ('sha256:b6ef7ba0640e5afccb3a4040af3bd3e8849aa789bb93fa2474d0c5f892262f38', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:37Z');
INSERT INTO public.signing VALUES ('sha256:4099a0ec964230e26b52c8057681b09cffa6739a4ac24897060b5a78a8066680', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:37Z');
INSERT INTO public.signing VALUES ('sha256:626094cfc4cfac9279a61fc5fd23689186f75c4887a4610f663b866916ffbf5b', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:37Z');
INSERT INTO public.signing VALUES ('sha256:f595bfb369dd92117e6408b4afb7f11f1b78a7c785f838e56b80b5435d861f65', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:59Z');
INSERT INTO public.signing VALUES ('sha256:58cdf2c7ce8ba577e313668793934d44619e3ef405ba360ad8c6da5a68814b59', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:59Z');
INSERT INTO public.signing VALUES ('sha256:1637df1c1a91d22dd6c05662e7875325046e17f7fdb98a5e61c76332095fa7ac', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:59Z');
INSERT INTO public.signing VALUES ('sha256:4544ab41e7aca86d8f5e46a1ed60305831fad1a3db586515571c926f0c37811b', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:59Z');
INSERT INTO public.signing VALUES ('sha256:87699679f32a26c7d76ce4cbe668aa4b9f21d64fd04b49e8b6667a34bd06b3c9', 'saltmarsh-7e9363cf-2026-11', '2026-11-29T21:17:59Z');
INSERT INTO public.signing VALUES ('sha256:f595bfb369dd92117e6408b4afb7f11f1b78a7c785f838e56b80b5435d861f65', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:01Z');
INSERT INTO public.signing VALUES ('sha256:58cdf2c7ce8ba577e313668793934d44619e3ef405ba360ad8c6da5a68814b59', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:01Z');
INSERT INTO public.signing VALUES ('sha256:1637df1c1a91d22dd6c05662e7875325046e17f7fdb98a5e61c76332095fa7ac', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:01Z');
INSERT INTO public.signing VALUES ('sha256:4544ab41e7aca86d8f5e46a1ed60305831fad1a3db586515571c926f0c37811b', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:01Z');
INSERT INTO public.signing VALUES ('sha256:87699679f32a26c7d76ce4cbe668aa4b9f21d64fd04b49e8b6667a34bd06b3c9', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:01Z');
INSERT INTO public.signing VALUES ('sha256:c34084e9c61d975244891902c767c8d424c80fdaea8dce4a8d9e7f46e455d3a6', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:ec457584e9bd4b6b9fea9a2327bf9c62ad75d305dd36a806c293450468bc955f', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:5216974b4e2803f3014fcf4c59197e783ff413b32c218f606c6da384037ab7a6', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:e598798bff709d97b5d9c726ddae8d5a0862d45eaa6ba2635c03c2075bfb3832', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:f0c8106ec6b205c0004378603c5d2ba6c64f4352c4f643ecc5844937b1c3ae83', 'saltmarsh-ea85fb47-2026-11-2', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:c34084e9c61d975244891902c767c8d424c80fdaea8dce4a8d9e7f46e455d3a6', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:ec457584e9bd4b6b9fea9a2327bf9c62ad75d305dd36a806c293450468bc955f', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:5216974b4e2803f3014fcf4c59197e783ff413b32c218f606c6da384037ab7a6', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:e598798bff709d97b5d9c726ddae8d5a0862d45eaa6ba2635c03c2075bfb3832', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:f0c8106ec6b205c0004378603c5d2ba6c64f4352c4f643ecc5844937b1c3ae83', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:19Z');
INSERT INTO public.signing VALUES ('sha256:742133d169e38eeb52654a8505efc8911fd48e184ee288e3b17f608292923c47', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:41Z');
INSERT INTO public.signing VALUES ('sha256:9e810c80ed55f1edb2d93d1495e48a10f41a96496eceb32816d2c96f70bad24d', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:41Z');
INSERT INTO public.signing VALUES ('sha256:ef4b676ca1abef563d206b2dbf4ad3606825c20fa6d00377231fb9c2725fea89', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:41Z');
INSERT INTO public.signing VALUES ('sha256:a3c368c2643ffbdb5c2eabb436eec078b25bb2ebc91994c52d589a88226717c7', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:41Z');
INSERT INTO public.signing VALUES ('sha256:a2c7e7cc524f64e6ece40bfe105a85c18e08533dc1b3909354d91aeb7cee0ac7', 'saltmarsh-ff0f632e-2026-11-3', '2026-11-29T21:18:41Z');
INSERT INTO public.statement VALUES ('about', 0, '\xf1cab864a0a086e89037d795cdbd17a301cad97845b87cd783ddfd4a32389f30');
INSERT INTO public.statement VALUES ('changelog', 0, '\xbf966822c3cf4bc199deda83ac4b79144f6666c07b7159321317e8e99f1b68fb');
INSERT INTO public.statement VALUES ('document/agent.json', 0, '\xf0a6a2d2159789c90a16355db41a37380ec94010f491bfa3f32efae72fcf4e46');
INSERT INTO public.statement VALUES ('document/openapi', 0, '\xc7c3bede4481aa2d8a4f79e8c4cf8eb670b95cfdb5d8c48407ca05ba8c4c6166');
INSERT INTO public.statement VALUES ('document/sdl', 0, '\x90aeb95c2506517fc8ef5bf97ccf6d83a819eb00ebf9691a84f5ecc8b45bbb83');
INSERT INTO public.statement VALUES ('domains', 0, '\xedd0a2b21eb8cdefa474a12819c42b48d97527bc72dac697a424d518c423c45d');
INSERT INTO public.statement VALUES ('faq', 0, '\x14ef2536d887127c2287ba3a600a6a1de7a14fa3b13cfa22ab719034f77a33d3');
INSERT INTO public.statement VALUES ('faq/when-is-the-desk-open', 0, '\x42b04fd87f757b05533a1738c7d4a0771bc8266d063d654827c45629c63a3256');
INSERT INTO public.statement VALUES ('fragment/Sections', 0, '\x2bbf78af920f564ee913f5485c5cd70467f7ef0f2b47a63a84fd1b32792361e9');
INSERT INTO public.statement VALUES ('fragment/WholeArtifact', 0, '\x19f671db627b76341228946d2ab8dcf5b2858ed72b8eb3e98081183d912ace6c');
INSERT INTO public.statement VALUES ('fragment/WholeCertification', 0, '\xabd2c18bc7f9cc452afd173920720046fda5bd1310855c09146133ae0e1d9af7');
INSERT INTO public.statement VALUES ('fragment/WholeChangelogEntry', 0, '\x409e8861790bda818b154fd1e56166043bc94b63b5f1ad6e6ad51d0066440578');
INSERT INTO public.statement VALUES ('fragment/WholeCitation', 0, '\xc54d3cbfa628bf5fbab4d2a111e1f76f407c997485f50dad9b78d2f2a6256706');
INSERT INTO public.statement VALUES ('fragment/WholeCitationLint', 0, '\x6ce309a5fe6006a1341684ff61211839a105d5810dcde439cbcf9114bd9b27cd');
INSERT INTO public.statement VALUES ('fragment/WholeConviction', 0, '\xe18242a4bb9e604dabcbb2567b2e79fbeee3898c1d28e880a360c8b152c8671d');
INSERT INTO public.statement VALUES ('fragment/WholeDomain', 0, '\x882a61fb126cf490db31adfdf8d709ac71f31de55bf6c4d0a2d98fd9336caa29');
INSERT INTO public.statement VALUES ('fragment/WholeEngagement', 0, '\xd25f10b359b2acbe6b198fe2f06657da64fecaebc54e673a0b2bf782e9a62c48');
INSERT INTO public.statement VALUES ('fragment/WholeFaqEntry', 0, '\xf60cb0b87e082985cddba34c53cb46ee3cb50c0402a594cdd07995fee73b4d59');
INSERT INTO public.statement VALUES ('fragment/WholeFounder', 0, '\x180333112a6b5b9b5b58087f7257b8d6eae395fe80ab216d9ef54e82eff08c71');
INSERT INTO public.statement VALUES ('fragment/WholeGithubEvent', 0, '\x78fbaaf3a2367639c1b5e6044e0e79162c2a45ce1697874068a0d63407e63efb');
INSERT INTO public.statement VALUES ('fragment/WholeGithubProfile', 0, '\xa295bd2b2103c667d764c7e6f61c6bea0062b5e70b61b2177af7e4ac0c7951a8');
INSERT INTO public.statement VALUES ('fragment/WholeGithubReadme', 0, '\xf63f58a1693c24f2cf07738817f375f881ac01da4b0434c1b2501b477efa8365');
INSERT INTO public.statement VALUES ('fragment/WholeGithubRepo', 0, '\xbc13393c29e0b1abab5c9131f5f6427455d51eca982293d37032cd17d9ff47ef');
INSERT INTO public.statement VALUES ('fragment/WholeGithubStar', 0, '\x675900b3205e7d1bf852aefc052ee4353ae451a149d470065d30151ac3d95b58');
INSERT INTO public.statement VALUES ('fragment/WholeGlossaryEntry', 0, '\x5a84f1cdd6b159ff4b38d58c72fe545137849c8ec43e718c44daa77d5a165d19');
INSERT INTO public.statement VALUES ('fragment/WholeHandle', 0, '\x60b3232665bad33aa34b064db57ab603f6a6dde079148a58ceaf9c7d80a9dac2');
INSERT INTO public.statement VALUES ('fragment/WholeHeadlineNumber', 0, '\x51ba68a2b9ffbef0f554aae06b9d0978d275d159944b763b1b96b11ab4208b92');
INSERT INTO public.statement VALUES ('fragment/WholeJourneyStep', 0, '\xfa87f2bc3893700e68f9c999c955eb8a3720a4ecf4566cdb0fb8a6badcd00f9f');
INSERT INTO public.statement VALUES ('fragment/WholeLicensing', 0, '\xdbf11592b5e1d3cc09568c91a6abdc9f238ab7a792d0465f409eb821720c7e7e');
INSERT INTO public.statement VALUES ('fragment/WholeLookingFor', 0, '\x2ec622b1bd4074063bbb273fe933956c2be50c10d31599a8744bc8ae6694a9e9');
INSERT INTO public.statement VALUES ('fragment/WholeOnChain', 0, '\xe13b2b6aefae38326a0f3176a3e5a0ccfeacfd0a842bbf2680af217a8f8ccee0');
INSERT INTO public.statement VALUES ('fragment/WholePracticeArea', 0, '\x13b471e7909c77c370c87b76d7ab618129a323389285e9b2e3e29149415010dd');
INSERT INTO public.statement VALUES ('fragment/WholeProject', 0, '\x8bd7bca867d41bb9dc365d23275de9185ef0d6e466c5fc7664b4f58c367bbe20');
INSERT INTO public.statement VALUES ('fragment/WholeReceipt', 0, '\x6ae7accd78da0c288bcf5c8c8dc5d6cbfbeb6eba363cef856ef95840ba365166');
INSERT INTO public.statement VALUES ('fragment/WholeRetrieval', 0, '\xf8b0a4c1835ee797b705e04a64307e35a595f39340fb316f553044606bc69d57');
INSERT INTO public.statement VALUES ('fragment/WholeScheduling', 0, '\xf040925294e27e7da28da539623917ccc777ef739688053c5d0a98af9632902c');
INSERT INTO public.statement VALUES ('fragment/WholeStatementProof', 0, '\x9497e0f4e2c886866cf967dd394b1a2c89ba25dee19873933c4115f3abc746e2');
INSERT INTO public.statement VALUES ('fragment/WholeStatus', 0, '\xd5994a66968937d9e367fc4ad31584d6224a49d265e28db3c07d1f3db6d77d86');
INSERT INTO public.statement VALUES ('fragment/WholeStudio', 0, '\x50a83ada1a60bae72d34fb454934aa31990d58d0e7a8768e934e5574e20912db');
INSERT INTO public.statement VALUES ('fragment/WholeStudy', 0, '\xa8cfec1c1db4dc142f7b4d5ee0586df5713ea74cdee2ba0811f516155de0d32d');
INSERT INTO public.statement VALUES ('manifest', 0, '\xac6911669ce072f9868c99751611728453c0bdad9b344f207f6e43f453e9e8f1');
INSERT INTO public.statement VALUES ('operation/Ask', 0, '\x4c266405830b43286f8192d6cf61d9920361b4ec62bbf735bd61c7691fa4f43c');
INSERT INTO public.statement VALUES ('operation/AskStreaming', 0, '\x2ca60d3c3fdcd64d84ed3161e45f030a298b9cbf711fe99ba2bf34c55182d36b');
INSERT INTO public.statement VALUES ('operation/CompareProjects', 0, '\xe952e66c15084006af86bea4641689d062606ffe7ac12626a5fbea4e75e7d024');
INSERT INTO public.statement VALUES ('operation/DraftOutreach', 0, '\xc053d83431f7a2b1f6bce05d697c5cc46793b50877354c0bbbfb310dc12a6e76');
INSERT INTO public.statement VALUES ('operation/EmbedTexts', 0, '\xf2e714077d4b18ea04ac48e496dd22b6ad230d79833ca19d07d3a4b0da84a4b4');
INSERT INTO public.statement VALUES ('operation/GetAbout', 0, '\x9dad99dfe3247a5a3cd5fa88b405b1c1104c05eb7f9f90beeac3aed755d51552');
INSERT INTO public.statement VALUES ('operation/GetAgentGuide', 0, '\x93b11f8695f8aad896cd8108809e42933578a87cd0a8125166a863d2a4143997');
INSERT INTO public.statement VALUES ('operation/GetAgentPulse', 0, '\xa734be2709f4527fa10bd2ae8ade54e36ddfe4a258026fce96f8da641be4e8d6');
INSERT INTO public.statement VALUES ('operation/GetAtomFeed', 0, '\xd4ce276ab6c127f52c625ae9a1630ac9931c78026d859a7796c5756adc86ec62');
INSERT INTO public.statement VALUES ('operation/GetAutoReply', 0, '\xa34fd647aeb13fa430f5f93d6f8c77da7372e4838a1cd480a479bb239fef0b0f');
INSERT INTO public.statement VALUES ('operation/GetChanges', 0, '\x687c5f48381e8a1b02301d08b0782957599ae5af4351e9a1e331f07ce3a19fd9');
INSERT INTO public.statement VALUES ('operation/GetCheckpoint', 0, '\x5179000dc49db8719f69a4108f2659643cac94488d5533c06bdff88119ecc59f');
INSERT INTO public.statement VALUES ('operation/GetConsistencyProof', 0, '\x6b233cc0b9b8c1e516581c40498182593fdfa430e225660d5707bcf913254195');
INSERT INTO public.statement VALUES ('operation/GetDelivery', 0, '\x251a050bba980a8ba2771d8cc87bb821cf1b96a8e4c04dfde52e268aea11250b');
INSERT INTO public.statement VALUES ('operation/GetDirectory', 0, '\x37c0e7cc4f5a061ab227e2624fecea9b2e241e6273e576d31c04896a977d28f7');
INSERT INTO public.statement VALUES ('operation/GetFaqEntry', 0, '\x5f8f7efdb03ba38762b95a8276e9a776c7003a0f3e79343fb89911ac164a94af');
INSERT INTO public.statement VALUES ('operation/GetFeed', 0, '\xc6d124ecf78ada799b7ca1b76bbc05e5a38e2c9f3424e12bfb65928c82f66166');
INSERT INTO public.statement VALUES ('operation/GetFounder', 0, '\xb8f175d0e4406b4f82644a296a60468bb17b8e8a970626361e7dc62d9e5b073b');
INSERT INTO public.statement VALUES ('operation/GetGithub', 0, '\x6b5eefae520656a287bb9bb0700563fc953ca68945ee5f431507529d578190d7');
INSERT INTO public.statement VALUES ('operation/GetGithubProfile', 0, '\x169b8bad758bf32fa29c44e9f8856f093754bb9d1292f870f95e9884d0f4f1cf');
INSERT INTO public.statement VALUES ('operation/GetGithubReadme', 0, '\x26c5bc01823809760fa20edbd7f25cdcb306a0c905ca218c90d551763235ec7d');
INSERT INTO public.statement VALUES ('operation/GetIdentity', 0, '\x7bb3f894ee31b5f4ac1de17f10f04485a191397957c7504634669e2a9fc1063d');
INSERT INTO public.statement VALUES ('operation/GetInclusionProof', 0, '\x697c3ae10d2e41018b014b165b8aa03f4a7b18de12d3b835d7ad09f9b1740f1c');
INSERT INTO public.statement VALUES ('operation/GetIndex', 0, '\x12e757aa7eb01580e9322a93036d3e606133f7d0847c4cf04e490ae8dae5b9b1');
INSERT INTO public.statement VALUES ('operation/GetKeySet', 0, '\xd807a222137b5e2761d522d13b40e176ece3566c237ea8b4a439afa8d4958430');
INSERT INTO public.statement VALUES ('operation/GetLlmsFull', 0, '\x178da5001a21cc0294c943c0dce2e98bd85d185cc28e02a09f9e44c3d3cd1608');
INSERT INTO public.statement VALUES ('operation/GetLlmsTxt', 0, '\x506bac93ee4889ef45f66db5898bec706a9e0a833c1257e982efb4650c8dbb10');
INSERT INTO public.statement VALUES ('operation/GetLog', 0, '\xc3c97fa944e26fdc4b4df0888809ec916751db6eb3b9d179b6856d472e17739a');
INSERT INTO public.statement VALUES ('operation/GetManifest', 0, '\x113b6414768363ff2e0a0c2399f769f61bed8e6ccd6870c25b8f2bd7a89f3293');
INSERT INTO public.statement VALUES ('operation/GetProject', 0, '\xa5ace87da9d604de6f1050d9beb150abdfa183fd2ce913877daab7ba5a74b571');
INSERT INTO public.statement VALUES ('operation/GetSkill', 0, '\xf2c43b6cb911938b07828063eee481e440ffc61b93e357c2aedbe48d2acc7d31');
INSERT INTO public.statement VALUES ('operation/GetStatementHistory', 0, '\x002cafa6870d87f759e374268c9aa236ec96c287515ad506cc3e8e7977906ffa');
INSERT INTO public.statement VALUES ('operation/GetStatementProof', 0, '\x65a7d63434c6086f8cf2c321b5acb39495106a2ad9ab5b81b292761d883eee58');
INSERT INTO public.statement VALUES ('operation/GetStatementTlogProof', 0, '\x902b086190dcc1d2c5f53b36f8b7224b504da92717256de1bb2a6548656d4edb');
INSERT INTO public.statement VALUES ('operation/GetStatus', 0, '\xa4de5a8953544056e19af7a5f2fa18ba64020e426c4a953cec08d4c7d3855d41');
INSERT INTO public.statement VALUES ('operation/GetStudioIdentity', 0, '\xef5a7f9b61feda78f86b8b74e92d879343a6dfad78d20052a28d6767ee592f5b');
INSERT INTO public.statement VALUES ('operation/GetWordsCheckpoint', 0, '\x130e7bfae05b4f4e5b6342f340e2062139c2c9a8191a75b3f272d4291a09f3fe');
INSERT INTO public.statement VALUES ('operation/GetWordsConsistency', 0, '\x430ff25346cdb1dd50ef3bbc2f0a8a040910d608859120faaa9bc3dd3f088799');
INSERT INTO public.statement VALUES ('operation/GetWordsLog', 0, '\x260757d61233ad6a8f649c03c53a4943010b2e441757ad01a5530d7ca82459e2');
INSERT INTO public.statement VALUES ('operation/IntroduceStudio', 0, '\xef30ace6c19f4ba6a4f1b10340d95d288bb659489a463b63237f9d4d2fb997c3');
INSERT INTO public.statement VALUES ('operation/ListChangelog', 0, '\x0747ed521e92c67fbe0a8161ace19a5b08266fe7b58489376ec71b2f66c38d4e');
INSERT INTO public.statement VALUES ('operation/ListDomains', 0, '\xa57db36faaa4408ea3fb1c8321cf5a695125c47aba205dee84ae5bcfb1395266');
INSERT INTO public.statement VALUES ('operation/ListFaq', 0, '\x635c879fe415ffb2d0090eb387695fb344385fbade8409306a619f21697483e5');
INSERT INTO public.statement VALUES ('operation/ListGithubActivity', 0, '\xaf7817daf85d9dd6befbfd867b69a0a64c4baa92b283005795fdb4a4d9930b98');
INSERT INTO public.statement VALUES ('operation/ListGithubReadingList', 0, '\xe1b0519d98aa66eb1c9a75404a23bfaa25e272e61c82f080cd54578d4e1077f2');
INSERT INTO public.statement VALUES ('operation/ListGithubRepos', 0, '\x97e24a9045ab2fc9f69c029f7c26b55ed5254dcc3b950dae8d018c153b83bf6e');
INSERT INTO public.statement VALUES ('operation/ListGithubStars', 0, '\x81a6d2e4f89720a4a1903d91edd3082e95976e01570ae46fa0801092ec096e6b');
INSERT INTO public.statement VALUES ('operation/ListProjects', 0, '\x06481c751823335ab06a9017e18bb963534afbf2c55281654721bf9d9267dce4');
INSERT INTO public.statement VALUES ('operation/RouteIntent', 0, '\x9f61e0e4c489632ade5879a4c1fd23eccc0d48f847c2dd7c118d74d44fc565b0');
INSERT INTO public.statement VALUES ('operation/SearchContent', 0, '\x525571a5951023aeea9664b17787ba0b31e0510b8c869e3aca5e3e8b8dade048');
INSERT INTO public.statement VALUES ('operation/SendContact', 0, '\x2eb5c926f1a04e4b93626289848813ad57c9dd24c590d11fd9ebe0d71fee0c0e');
INSERT INTO public.statement VALUES ('operation/Subscribe', 0, '\xd5500f0e6ba96e0ddbbfd56e51cccda35ac0bfc64a6b10cc5caf8ad3f6210c17');
INSERT INTO public.statement VALUES ('operation/Unsubscribe', 0, '\xcaa30647bc7ee781bff6ca734be2b0345569fb545f5c867417405af38ea2f650');
INSERT INTO public.statement VALUES ('projects', 0, '\xf9f48f741bc7d82c740a0b837e7becced636be2a88c4e1e883a1878b16b4c0a1');
INSERT INTO public.statement VALUES ('prompt/compare_projects', 0, '\x70a7dd0ca23a43273507a28f1474796c15c01333161287fe1b122e8c48b87200');
INSERT INTO public.statement VALUES ('prompt/draft_outreach', 0, '\xd0ed3dd186ded5a36c2be7e7a7ef989a415187b91c5315c90cd9f5e20512ee13');
INSERT INTO public.statement VALUES ('prompt/introduce_studio', 0, '\x131e2b8afeaa8c371307ad7cb1b4ac2bd3f53f2a4f21c5d2e4df152b69bad01c');
INSERT INTO public.statement VALUES ('resource/skill://work-with-this-studio/SKILL.md', 0, '\x20a50241f6b08c061702c7af1644165c6fcb4a816704cfbf2428eddd5fc32d12');
INSERT INTO public.statement VALUES ('resource/studio://about', 0, '\xaff76712f03d366328b16166776806deaad19b950ab813c396002c6291e0d07f');
INSERT INTO public.statement VALUES ('resource/studio://llms-full.txt', 0, '\x23ff7a94aa184625c9de99cc9241ad40c991af1f37056986fc208b4cffefc956');
INSERT INTO public.statement VALUES ('resource/studio://llms.txt', 0, '\x35cdc748664d8abb3870eaa26e5956758bd041a3a0485aa13bfaefccd9bf360a');
INSERT INTO public.statement VALUES ('resource/studio://manifest', 0, '\x666010ecc1c6396d826e84286899377dfa997364065050accdae7c80e0b25474');
INSERT INTO public.statement VALUES ('resource/studio://projects', 0, '\xdaf7995ff872cb5eae0b6a96108fcecaf0bb431986c48c185bc316f919722d83');
INSERT INTO public.statement VALUES ('resource/studio://projects/{slug}', 0, '\x27f0133988e3993a512270f3e1c84f5fbe5a69d79a11c30c3c8303bd3b8c5148');
INSERT INTO public.statement VALUES ('resource/studio://status', 0, '\x8923d659fb3792fb03dac69fb86ded1de6b08d61325413709fd91a704f74dac3');
INSERT INTO public.statement VALUES ('status', 0, '\x4f46003454396feb98c23e32e048511a813187246358c01d4b6cc4cdde9b2bfd');
INSERT INTO public.statement VALUES ('tool/ask', 0, '\xf26bb6843fad9ac66db6b09ec0dee140cde10cb2aac8d26da663a36c9f625241');
INSERT INTO public.statement VALUES ('tool/fetch', 0, '\x89491a07f87687fbb25614db130019a20174c226f8fd53f18c67ccd1167c54a0');
INSERT INTO public.statement VALUES ('tool/get_about', 0, '\x0c35d4b4c62dca811bce377e6286bf03cce441cdc4f2b7af8992a62f1e707a16');
INSERT INTO public.statement VALUES ('tool/get_changes', 0, '\x218c5581b714caecfe81d6976e82efcca81834fac4740e4f0abb6ffdb1dd784a');
INSERT INTO public.statement VALUES ('tool/get_project', 0, '\x8ffdb81a716327871ef7a15bdaaacdcc93a686955fb025f48075b94c568fd11b');
INSERT INTO public.statement VALUES ('tool/get_status', 0, '\xd8d8c545b33698a75aaf93e60d706ddb20b2cdad131e1756d28637618bd1505a');
INSERT INTO public.statement VALUES ('tool/list_domains', 0, '\xc03d5a84433833b81d0700327fda9719f3814fcabc454896fbfbc3719989523c');
INSERT INTO public.statement VALUES ('tool/list_projects', 0, '\x4d3298bacbd79e12b8593a192d6d0d39b1f38eff7693308f050575461f8947ff');
INSERT INTO public.statement VALUES ('tool/read', 0, '\xd7bab02dae5ec67ad873fe919cb9b15398cd746e0ed9719cce392a3001feb97a');
INSERT INTO public.statement VALUES ('tool/route_intent', 0, '\x9defe2f5534488cf272e90c99f815dd49359f1df13ce3841491afa27805bf542');
INSERT INTO public.statement VALUES ('tool/search', 0, '\x509bab48959c3a50cfd71465a6dd0720e6da17fca364d717a751b23e8f973057');
INSERT INTO public.statement VALUES ('tool/send_contact', 0, '\xa92d66c9d49e11eefa9701cb410d8953c81e6b729fa293c8bf24565e7a03a1f1');
INSERT INTO public.statement VALUES ('tool/subscribe', 0, '\x2c59492a5612f98df76324610f406b17bcdd681fc54fc0fcd3575723bdd05dc4');
INSERT INTO public.statement VALUES ('tool/verify', 0, '\xd4b24c18d4c7322e237d7565d057299c1016d635a49d6586d239487afb66b0b3');
INSERT INTO public.statement VALUES ('changelog', 1, '\xc757773c8a85e63555b8c1eb4302b6ca905dee425bc983c063b8d8284a3b61ac');
INSERT INTO public.statement VALUES ('document/agent.json', 1, '\x1f767bf5b0639ac6c6bc7a708e67169e11e7477aaa0327adc3af4accd5572f5a');
INSERT INTO public.statement VALUES ('manifest', 1, '\x77a48fa7569d4428b82e0806f87ce286bd55db63c4ed50ca28307f6acf75940a');
INSERT INTO public.statement VALUES ('status', 1, '\xb0376da9e12c1de216c8e2e2b86b5f2e1622ed321a54c235804351679f0027b0');
INSERT INTO public.statement VALUES ('changelog/2026-11-03-trial-1', 1, '\xcaeadfade998b33d00e0734d84b13273ca15b2200e694d5e281c7b08bb8fd66b');
INSERT INTO public.statement VALUES ('changelog', 2, '\xa0602ed766cc87c4fff5b9d7fe67276c5782735e0c0b881b5f7f186f10a93b93');
INSERT INTO public.statement VALUES ('faq', 2, '\x1b27a706f4819bf65d8d2dcff5201ee872f68279478f0432eb017fdecd8f1e73');
INSERT INTO public.statement VALUES ('faq/when-is-the-desk-open', 2, '\x0d6385838041c9f5fa07c5a4d5b04a3770d4d7512593020ee36d5eb089386cf4');
INSERT INTO public.statement VALUES ('manifest', 2, '\x8eed814c0d7a4ec894de442757d8e314a094e11f59cfaa0e7f2e2f089676be34');
INSERT INTO public.statement VALUES ('status', 2, '\xd24ab45548c3b9ab8880d727b8e3ea00c3463d71a07652292b785d4ba00d7d65');
INSERT INTO public.statement VALUES ('changelog/2026-11-03-trial-2', 2, '\xf7536be26e31b8cf337eab898efcfc376aa386ada7d12601acb4606c82acbb87');
INSERT INTO public.statement VALUES ('changelog', 3, '\x31ca909bffc29f28fb825cbe86dd43188ed154bbc1a04fc74c50447158fbdeb6');
INSERT INTO public.statement VALUES ('manifest', 3, '\x09aeb22e505e247ae1bb32f7d346697814e8ecf4b3463e4e0eec0b5f497ffffa');
INSERT INTO public.statement VALUES ('status', 3, '\x73955b8cd65a19de7d92fb7e7d15191477d9925a0104f07401c11ca065985c9e');
INSERT INTO public.statement VALUES ('changelog/2026-11-03-trial-3', 3, '\xfe2d447952a638586b7b64932949222ba3ed528c1b918ba61c66894b5f4dbeb1');
INSERT INTO public.statement VALUES ('changelog', 4, '\x2eb5f3b449872d8ebac6ab87042f4ca7c058980ed86d0e18be66da0813044934');
INSERT INTO public.statement VALUES ('manifest', 4, '\x77b02fa026389b4c3fa1143dd68c454ca762ea9ee16b996df59b1b2aeecc3d4f');
INSERT INTO public.statement VALUES ('status', 4, '\xe6815a67a544911b4432e9ffca5fd31172df90d87d518bd87022bb514296c08d');
INSERT INTO public.statement VALUES ('changelog/2026-11-03-trial-4', 4, '\x2dc69d6c197ecd3d010e2d6f35761d1d09d1f746574373ef8c50030ca7e0cf96');
INSERT INTO public.subscription VALUES ('sub_05c0e6f126a21b1ac03e25fe8bba7ade', 'http://127.0.0.1:35395/hooks/pending', '127.0.0.1:35395', '', '\x0590a274ca3e9e3ad4c1b4c21e07ad9e64d2fe794f397b5a11d9417e04765533fa7feae1580d56c1d554ab74b1c50cc7fd05d30ddae812487d2a079361b77b1637e6b5bfa1e7e493baef13eb164b2a6031647cf1dbcafc47f61a', 1795987050.612513, '2026-11-03T00:00:04Z', NULL, NULL, 1795987100.48757, 1795987080.209727, 2);
INSERT INTO public.subscription VALUES ('sub_7fd1bca383d656717a3384642af956e9', 'http://127.0.0.1:35395/hooks/kept', '127.0.0.1:35395', '', '\x8bef524f6a9221e3af55cd54711a606ef05ba08ea7976657dda465866724978558a45cb35721ae67c3f13d3bb0d2a8db96c3c8c737fabff6adce85720eecc0a8bf3e999e6c03a59964b31951efa0d2155a500d8869263d4c648f', 1795987050.359241, '2026-11-03T00:00:04Z', NULL, NULL, NULL, 1795987122.403873, 0);
INSERT INTO public.subscription VALUES ('sub_09822ccdbd696fa81c8f1efa8e441a15', 'http://127.0.0.1:35395/hooks/in-hand', '127.0.0.1:35395', '', '\x58811c40565b0c3e349fa28fbe4060762c8514ad0d3e24d63c23dd000e1cfe576287699fbfb4e022ffe18cd04b602f944521de258d904249a4509f364a5d5334c09ce41bf6cfc834dabe8a7af41702967d7d220b2d1354cb573d', 1795987050.804021, '2026-11-03T00:00:04Z', NULL, NULL, 1795987122.403341, 1795987100.496511, 1);
INSERT INTO public.webhook_key VALUES ('webhook.key', '66f32db965dcdba9b9e0e75fc23b9c9c9edb38eed6907e8e9333939b0892c214');
INSERT INTO public.webhook_key VALUES ('webhook-secrets.key', 'f05f9212864847cde25c4dd412db3ecc5f61def6bd310ef7fc53479533a8b651');
INSERT INTO public.words VALUES (0, 'saltmarsh.example/words/20261129T211728Z', '{"changed":[],"contentRoot":"sha256:fa26614171c2f25d3372dd7caf4740d4c0e87f4d9dc277d1087f1042c97e15ba","interface":"sha256:badb5caa2a1cd1b68e5012d16f87f3088a610408b9ff5b758f889e7d869d36b8","publishedAt":"2026-11-29T21:17:28Z","revision":"sha256:f5bc829f4a93f8309b8deab479af7f72a0ced06cbeca467863f1115cf4720d27","statements":121}', '\x0a4da9c026b5771c85af40b845094439f56ef1b59e45ee76445b769b48a80a6b');
INSERT INTO public.words VALUES (1, 'saltmarsh.example/words/20261129T211728Z', '{"changed":["changelog","changelog/2026-11-03-trial-1","document/agent.json","manifest","status"],"contentRoot":"sha256:1fd654225ecdef3c9c96c7fdd1bc6c1a3deaf036a52081f665f885e28f9f9445","interface":"sha256:5314c427a29e7e0070b709fc81fedffa1aa1bf8fd8f6963bcc0c23da1ddc430d","publishedAt":"2026-11-29T21:17:37Z","revision":"sha256:d6d8d75a5eff7775da01e472fb512baccdd3ac1b3d8874029d36b7de84dece3f","statements":122}', '\x381f06e5f85a61b1a096287c6cf27c0dfecf08756844e1c67ae1c3e2448d6da5');
INSERT INTO public.words VALUES (2, 'saltmarsh.example/words/20261129T211728Z', '{"changed":["changelog","changelog/2026-11-03-trial-2","faq","faq/when-is-the-desk-open","manifest","status"],"contentRoot":"sha256:56aa8a4edc60551d39f182561286320311638326bbafaa908b62570771d57a7d","interface":"sha256:5314c427a29e7e0070b709fc81fedffa1aa1bf8fd8f6963bcc0c23da1ddc430d","publishedAt":"2026-11-29T21:17:59Z","revision":"sha256:a5d92b906c836b29b0f5fe59e1f9041225b121c6c1fd00033e659e8f94bebfdf","statements":123}', '\xcd10d3590c27087396ba639c1611ea20fc651c1da7f04098cd31452d5ff4079e');
INSERT INTO public.words VALUES (3, 'saltmarsh.example/words/20261129T211728Z', '{"changed":["changelog","changelog/2026-11-03-trial-3","manifest","status"],"contentRoot":"sha256:fe7d697c1c8534cc9d292608d6de861df66174985b7f7ead434ddd1da094abc5","interface":"sha256:5314c427a29e7e0070b709fc81fedffa1aa1bf8fd8f6963bcc0c23da1ddc430d","publishedAt":"2026-11-29T21:18:19Z","revision":"sha256:681dc2892f9360ac6c29a8cf07974094a44614f552769654bccd3454cea6430d","statements":124}', '\x7703a1a2ca5a993b50d85e62fa9ab98d8b241dfbf28b1d25cbc1dad6739b06ae');
INSERT INTO public.words VALUES (4, 'saltmarsh.example/words/20261129T211728Z', '{"changed":["changelog","changelog/2026-11-03-trial-4","manifest","status"],"contentRoot":"sha256:42c62a0e09fcb38fec0c1295071feb2133832582db776068db8ec850604fd588","interface":"sha256:5314c427a29e7e0070b709fc81fedffa1aa1bf8fd8f6963bcc0c23da1ddc430d","publishedAt":"2026-11-29T21:18:41Z","revision":"sha256:9e2548f90f6e630a31fa0c4b3e0f62becc52793cd8b600cc68efede149617bd6","statements":125}', '\xb7b28540b9534ffef969c5b84dd717a5220249a64b2f6b898865771a6af36b50');
ALTER TABLE ONLY dbos.application_versions
    ADD CONSTRAINT application_versions_pkey PRIMARY KEY (version_id);
ALTER TABLE ONLY dbos.application_versions
    ADD CONSTRAINT application_versions_version_name_key UNIQUE (version_name);
ALTER TABLE ONLY dbos.dbos_migrations
    ADD CONSTRAINT dbos_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY dbos.event_dispatch_kv
    ADD CONSTRAINT event_dispatch_kv_pkey PRIMARY KEY (service_name, workflow_fn_name, key);
ALTER TABLE ONLY dbos.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (message_uuid);
ALTER TABLE ONLY dbos.operation_outputs
    ADD CONSTRAINT operation_outputs_pkey PRIMARY KEY (workflow_uuid, function_id);
ALTER TABLE ONLY dbos.queues
    ADD CONSTRAINT queues_name_key UNIQUE (name);
ALTER TABLE ONLY dbos.queues
    ADD CONSTRAINT queues_pkey PRIMARY KEY (queue_id);
ALTER TABLE ONLY dbos.streams
    ADD CONSTRAINT streams_pkey PRIMARY KEY (workflow_uuid, key, "offset");
ALTER TABLE ONLY dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_pkey PRIMARY KEY (workflow_uuid, function_id, key);
ALTER TABLE ONLY dbos.workflow_events
    ADD CONSTRAINT workflow_events_pkey PRIMARY KEY (workflow_uuid, key);
ALTER TABLE ONLY dbos.workflow_input
    ADD CONSTRAINT workflow_input_pkey PRIMARY KEY (workflow_uuid);
ALTER TABLE ONLY dbos.workflow_output
    ADD CONSTRAINT workflow_output_pkey PRIMARY KEY (workflow_uuid);
ALTER TABLE ONLY dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_pkey PRIMARY KEY (schedule_id);
ALTER TABLE ONLY dbos.workflow_schedules
    ADD CONSTRAINT workflow_schedules_schedule_name_key UNIQUE (schedule_name);
ALTER TABLE ONLY dbos.workflow_status
    ADD CONSTRAINT workflow_status_pkey PRIMARY KEY (workflow_uuid);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.answered
    ADD CONSTRAINT answered_pkey PRIMARY KEY (sender);
ALTER TABLE ONLY public.asked_question
    ADD CONSTRAINT asked_question_pkey PRIMARY KEY (day, text, kind, channel, answered, caller);
ALTER TABLE ONLY public.challenge
    ADD CONSTRAINT challenge_pkey PRIMARY KEY (host);
ALTER TABLE ONLY public.delivery_attempt
    ADD CONSTRAINT delivery_attempt_pkey PRIMARY KEY (delivery, round, n);
ALTER TABLE ONLY public.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (log, place);
ALTER TABLE ONLY public.idempotency
    ADD CONSTRAINT idempotency_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.key
    ADD CONSTRAINT key_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.log
    ADD CONSTRAINT log_origin_key UNIQUE (origin);
ALTER TABLE ONLY public.log
    ADD CONSTRAINT log_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT mail_identity_key UNIQUE (identity);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT mail_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.missing_path
    ADD CONSTRAINT missing_path_pkey PRIMARY KEY (day, path);
ALTER TABLE ONLY public.publication
    ADD CONSTRAINT publication_pkey PRIMARY KEY (entry);
ALTER TABLE ONLY public.published_text
    ADD CONSTRAINT published_text_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.request_count
    ADD CONSTRAINT request_count_pkey PRIMARY KEY (day, operation, agent, status);
ALTER TABLE ONLY public.revoked
    ADD CONSTRAINT revoked_pkey PRIMARY KEY (kid);
ALTER TABLE ONLY public.signing
    ADD CONSTRAINT signing_pkey PRIMARY KEY (payload, kid);
ALTER TABLE ONLY public.statement
    ADD CONSTRAINT statement_pkey PRIMARY KEY (name, place);
ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_key
    ADD CONSTRAINT webhook_key_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.words
    ADD CONSTRAINT words_pkey PRIMARY KEY (place);
CREATE INDEX idx_application_versions_owner_timestamp ON dbos.application_versions USING btree (application_name, version_timestamp DESC);
CREATE INDEX idx_application_versions_timestamp ON dbos.application_versions USING btree (version_timestamp DESC);
CREATE INDEX idx_operation_outputs_completed_at_function_name_v2 ON dbos.operation_outputs USING btree (completed_at_epoch_ms, function_name) INCLUDE (application_name);
CREATE INDEX idx_operation_outputs_retention ON dbos.operation_outputs USING btree (retention_timestamp);
CREATE INDEX idx_workflow_input_retention ON dbos.workflow_input USING btree (retention_timestamp);
CREATE INDEX idx_workflow_output_retention ON dbos.workflow_output USING btree (retention_timestamp);
CREATE INDEX idx_workflow_status_attributes ON dbos.workflow_status USING gin (attributes) WHERE (attributes IS NOT NULL);
CREATE INDEX idx_workflow_status_completed_at ON dbos.workflow_status USING btree (completed_at) WHERE (completed_at IS NOT NULL);
CREATE INDEX idx_workflow_status_deadline ON dbos.workflow_status USING btree (workflow_deadline_epoch_ms) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text, 'DELAYED'::text])) AND (workflow_deadline_epoch_ms IS NOT NULL));
CREATE INDEX idx_workflow_status_delayed ON dbos.workflow_status USING btree (delay_until_epoch_ms) WHERE (status = 'DELAYED'::text);
CREATE INDEX idx_workflow_status_failed ON dbos.workflow_status USING btree (status, created_at) WHERE (status = ANY (ARRAY['ERROR'::text, 'CANCELLED'::text, 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'::text]));
CREATE INDEX idx_workflow_status_forked_from ON dbos.workflow_status USING btree (forked_from) WHERE (forked_from IS NOT NULL);
CREATE INDEX idx_workflow_status_in_flight_v2 ON dbos.workflow_status USING btree (queue_name, status, priority, created_at) INCLUDE (application_name) WHERE (status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text]));
CREATE INDEX idx_workflow_status_parent_workflow_id ON dbos.workflow_status USING btree (parent_workflow_id) WHERE (parent_workflow_id IS NOT NULL);
CREATE INDEX idx_workflow_status_partition_dequeue_v3 ON dbos.workflow_status USING btree (queue_name, status, queue_partition_key, priority, created_at, workflow_uuid) INCLUDE (application_name) WHERE ((status = ANY (ARRAY['ENQUEUED'::text, 'PENDING'::text])) AND (queue_partition_key IS NOT NULL));
CREATE INDEX idx_workflow_status_pending ON dbos.workflow_status USING btree (created_at) WHERE (status = 'PENDING'::text);
CREATE INDEX idx_workflow_status_rate_limited ON dbos.workflow_status USING btree (queue_name, started_at_epoch_ms) WHERE (rate_limited = true);
CREATE INDEX idx_workflow_status_schedule_name ON dbos.workflow_status USING btree (schedule_name) WHERE (schedule_name IS NOT NULL);
CREATE INDEX idx_workflow_status_started_at ON dbos.workflow_status USING btree (started_at_epoch_ms) WHERE (started_at_epoch_ms IS NOT NULL);
CREATE INDEX idx_workflow_topic ON dbos.notifications USING btree (destination_uuid, topic);
CREATE UNIQUE INDEX uq_application_versions_owner_version ON dbos.application_versions USING btree (application_name, version_name) WHERE (application_name IS NOT NULL);
CREATE UNIQUE INDEX uq_application_versions_unclaimed_version ON dbos.application_versions USING btree (version_name) WHERE (application_name IS NULL);
CREATE UNIQUE INDEX uq_workflow_status_dedup_id ON dbos.workflow_status USING btree (queue_name, deduplication_id) WHERE (deduplication_id IS NOT NULL);
CREATE INDEX workflow_status_created_at_index ON dbos.workflow_status USING btree (created_at);
CREATE INDEX answered_at ON public.answered USING btree (at);
CREATE INDEX answered_domain ON public.answered USING btree (domain);
CREATE INDEX delivery_attempt_at ON public.delivery_attempt USING btree (at);
CREATE INDEX delivery_attempt_of ON public.delivery_attempt USING btree (subscription, at);
CREATE INDEX delivery_attempt_verdict ON public.delivery_attempt USING btree (verdict);
CREATE INDEX subscription_cursor ON public.subscription USING btree (cursor);
CREATE INDEX subscription_owner ON public.subscription USING btree (owner);
ALTER TABLE ONLY dbos.notifications
    ADD CONSTRAINT notifications_destination_uuid_fkey FOREIGN KEY (destination_uuid) REFERENCES dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY dbos.streams
    ADD CONSTRAINT streams_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY dbos.workflow_events_history
    ADD CONSTRAINT workflow_events_history_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY dbos.workflow_events
    ADD CONSTRAINT workflow_events_workflow_uuid_fkey FOREIGN KEY (workflow_uuid) REFERENCES dbos.workflow_status(workflow_uuid) ON UPDATE CASCADE ON DELETE CASCADE;
