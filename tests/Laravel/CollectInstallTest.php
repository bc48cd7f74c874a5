<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Cli\Collect\InstallCommand;
use Headroom\Host\Ports;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\Spool;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * collect:install against a real OpenSearch and a real ClickHouse; what they do not have, against a scripted server.
 */
final class CollectInstallTest extends TestCase
{
    private Spool $spool;

    private string $name;

    protected function setUp(): void
    {
        $this->spool = new Spool([]);
        $this->name = 'install-'.bin2hex(random_bytes(6));
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }

    #[Test]
    public function an_index_is_set_up_once_and_takes_events(): void
    {
        $server = $this->openSearch();

        try {
            [$exit, $out] = $this->install();
            self::assertSame([0, "events: index template headroom-{$this->name}: made\nevents: data stream {$this->name}: made\n"], [$exit, $out]);
            [$exit, $out] = $this->install();
            self::assertSame([0, "events: index template headroom-{$this->name}: is there\nevents: data stream {$this->name}: is there\n"], [$exit, $out]);

            $this->spool->runtime()->buffer()->bucket('events')->add(['id' => '1', 'source' => 's', 'type' => 'order.placed', 'time' => '2026-07-14T03:33:20.123456Z', 'data' => ['total' => ['eur' => 19.99]]]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            $server->ask('POST', "/{$this->name}/_refresh");
            $found = $server->ask('POST', "/{$this->name}/_search", ['query' => ['bool' => ['filter' => [['term' => ['type' => 'order.placed']], ['term' => ['data.total.eur' => '19.99']], ['range' => ['@timestamp' => ['gte' => '2026-07-14T03:33:20.123Z', 'lt' => '2026-07-14T03:33:20.124Z']]]]]]]);
            self::assertSame(1, Dug::out($found, 'hits', 'total', 'value'), (string) json_encode($found));
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function a_dry_run_prints_the_requests_and_makes_nothing(): void
    {
        $server = $this->openSearch();
        [$exit, $out] = $this->install(['--dry-run' => true]);

        self::assertSame(0, $exit);
        self::assertStringContainsString("index template headroom-{$this->name}: would be made\nPUT /_index_template/headroom-{$this->name}\n{", $out);
        self::assertStringContainsString('"type": "flat_object"', $out);
        self::assertStringContainsString("PUT /_data_stream/{$this->name}", $out);
        self::assertSame(404, $server->ask('GET', "/_index_template/headroom-{$this->name}")['status'] ?? null);
        self::assertSame(404, $server->ask('GET', "/_data_stream/{$this->name}")['status'] ?? null);
    }

    #[Test]
    public function what_somebody_else_has_made_is_left_alone(): void
    {
        $server = $this->openSearch();
        $server->ask('PUT', "/_index_template/headroom-{$this->name}", ['index_patterns' => ["{$this->name}*"], 'priority' => 300, 'data_stream' => (object) []]);

        try {
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertStringContainsString('differs', $out);
            self::assertStringContainsString('not made by this command', $out);
            self::assertSame(300, Dug::out($server->ask('GET', "/_index_template/headroom-{$this->name}"), 'index_templates', 0, 'index_template', 'priority'));
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function our_own_is_changed_when_other_options_are_given_but_not_what_somebody_mended_in_it(): void
    {
        $server = $this->openSearch();
        $template = "/_index_template/headroom-{$this->name}";

        try {
            $this->install();
            [$exit, $out] = $this->install(['--data' => 'stored']);
            self::assertSame(0, $exit);
            self::assertStringContainsString('changed', $out);
            $body = Dug::out($server->ask('GET', $template), 'index_templates', 0, 'index_template');
            self::assertIsArray($body);
            self::assertFalse(Dug::out($body, 'template', 'mappings', 'properties', 'data', 'enabled'));

            $server->ask('PUT', $template, array_replace_recursive($body, ['template' => ['mappings' => ['properties' => ['key' => ['ignore_above' => 5]]]]], ['data_stream' => ['timestamp_field' => ['name' => '@timestamp']]]));
            [$exit, $out] = $this->install(['--data' => 'stored']);
            self::assertSame(1, $exit);
            self::assertStringContainsString('Somebody has changed it', $out);
            self::assertSame(5, Dug::out($server->ask('GET', $template), 'index_templates', 0, 'index_template', 'template', 'mappings', 'properties', 'key', 'ignore_above'));
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    public function an_index_in_the_place_of_the_data_stream_is_told(): void
    {
        $server = $this->openSearch();
        $server->ask('PUT', "/{$this->name}");

        try {
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertStringContainsString("data stream {$this->name}: differs", $out);
        } finally {
            $server->ask('DELETE', "/{$this->name}");
            $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
        }
    }

    #[Test]
    public function names_by_the_month_get_a_template_and_no_data_stream(): void
    {
        $server = $this->openSearch("{$this->name}-{yyyy.MM}");

        try {
            [$exit, $out] = $this->install();
            self::assertSame([0, "events: index template headroom-{$this->name}: made\n"], [$exit, $out]);
            $this->spool->runtime()->buffer()->bucket('events')->addMany([['time' => '2026-07-14T03:33:20Z', 'n' => 1], ['n' => 2]]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            self::assertCount(2, $server->ask('GET', "/{$this->name}-*"), 'The month of the event, and this one.');
            self::assertArrayHasKey("{$this->name}-2026.07", $server->ask('GET', "/{$this->name}-*"));
        } finally {
            foreach (array_keys($server->ask('GET', "/{$this->name}-*")) as $index) {
                $server->ask('DELETE', "/{$index}");
            }

            $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
        }
    }

    #[Test]
    public function retention_that_a_cluster_does_not_know_is_told_and_the_rest_is_made(): void
    {
        $server = $this->openSearch();

        try {
            [$exit, $out] = $this->install(['--keep' => '30']);
            self::assertSame(1, $exit);
            self::assertStringContainsString("retention policy headroom-{$this->name}: is not possible", $out);
            self::assertStringContainsString("data stream {$this->name}: made", $out);
        } finally {
            $this->cleanUp($server);
        }
    }

    #[Test]
    #[TestWith(['{"version":{"number":"2.19.1","distribution":"opensearch"}}', '/_plugins/_ism/policies/headroom-NAME', '"min_index_age":"30d"', null])]
    #[TestWith(['{"version":{"number":"8.10.2"}}', '/_ilm/policy/headroom-NAME', '"min_age":"30d"', '"lifecycle":{"name":"headroom-NAME"}'])]
    #[TestWith(['{"version":{"number":"9.1.0"}}', null, '', '"lifecycle":{"data_retention":"30d"}'])]
    public function retention_is_made_in_the_way_of_each_server(string $version, ?string $policy, string $age, ?string $named): void
    {
        $server = ScriptedServer::start();
        $answer = static fn (int $status, string $body = '{}') => $server->next(['status' => $status, 'body' => $body, 'keeps' => false]);
        $answer(200, $version);

        if ($policy !== null) {
            $answer(404);
            $answer(404);
            $answer(201);
        }

        array_map($answer, [404, 200, 404, 404, 200]);

        try {
            $this->spool->buckets = ['events' => ['sink' => 'elasticsearch', 'url' => "http://127.0.0.1:{$server->port}", 'index' => $this->name, 'auth' => ['bearer' => 'sesame']]];
            [$exit, $out] = $this->install(['--keep' => '30']);
            self::assertSame(0, $exit, $out);
            $put = [];

            foreach ($server->requests() as $request) {
                self::assertSame('Bearer sesame', $request->headers['authorization']);
                $put += $request->method === 'PUT' ? [$request->path => $request->body] : [];
            }

            self::assertSame([...$policy === null ? [] : [str_replace('NAME', $this->name, $policy)], "/_index_template/headroom-{$this->name}", "/_data_stream/{$this->name}"], array_keys($put));
            self::assertStringContainsString($age, $put[array_key_first($put)]);
            self::assertStringContainsString(str_replace('NAME', $this->name, $named ?? '"refresh_interval":"10s"}'), $put["/_index_template/headroom-{$this->name}"]);
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_server_that_refuses_is_told_with_the_next_step(): void
    {
        $server = ScriptedServer::start();
        $server->always(['status' => 403, 'body' => '{"error":{"type":"security_exception","reason":"no permissions"}}', 'keeps' => false]);

        try {
            $this->spool->buckets = ['events' => ['sink' => 'elasticsearch', 'url' => "http://127.0.0.1:{$server->port}", 'index' => 'events', 'auth' => ['bearer' => 'sesame']]];
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertStringContainsString("HTTP 403: security_exception: no permissions. Correct the bucket's 'auth'", $out);
            self::assertStringNotContainsString('sesame', $out);
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_table_is_made_once_and_takes_events(): void
    {
        $server = ClickHouseServer::get();
        $table = str_replace('-', '_', $this->name);
        $this->spool->buckets = ['events' => ['sink' => 'clickhouse', 'url' => $server->url, 'table' => $table]];

        try {
            self::assertStringContainsString('CREATE TABLE IF NOT EXISTS', $this->install(['--dry-run' => true])[1]);
            self::assertSame([0, "events: table `{$table}`: made\n"], $this->install());
            self::assertSame([0, "events: table `{$table}`: is there\n"], $this->install());
            $this->spool->runtime()->buffer()->bucket('events')->add(['id' => '1', 'source' => 's', 'type' => 'order.placed', 'time' => '2026-07-14T03:33:20.123456Z', 'data' => ['total' => 1]]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            self::assertSame([['type' => 'order.placed', 'data' => '{"total":1}', 't' => '2026-07-14 03:33:20']], $server->rows("SELECT type, data, toString(toDateTime(time)) AS t FROM {$table} FINAL"));
        } finally {
            $server->ask("DROP TABLE IF EXISTS {$table}");
        }
    }

    #[Test]
    public function a_server_that_is_not_there_has_been_sent_no_event(): void
    {
        $this->spool->buckets = ['events' => ['sink' => 'elasticsearch', 'url' => 'http://127.0.0.1:'.Ports::free(), 'index' => 'events']];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertStringContainsString('no event was sent: run this again once it answers', $out);
    }

    #[Test]
    public function a_database_that_is_not_there_is_told_with_what_makes_it(): void
    {
        $this->spool->buckets = ['events' => ['sink' => 'clickhouse', 'url' => ClickHouseServer::get()->url, 'table' => 'nowhere.events']];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertStringContainsString('its database is not there. Make that with CREATE DATABASE', $out);
    }

    #[Test]
    public function a_table_that_would_keep_doubles_or_lacks_columns_is_told_and_stays(): void
    {
        $server = ClickHouseServer::get();
        $table = str_replace('-', '_', $this->name);
        $this->spool->buckets = ['events' => ['sink' => 'clickhouse', 'url' => $server->url, 'table' => $table]];
        $server->ask("CREATE TABLE {$table} (event_id String) ENGINE = Log");

        try {
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertStringContainsString('without the columns id, source', $out);
        } finally {
            $server->ask("DROP TABLE {$table}");
        }
    }

    /** @param array<string, mixed> $input */
    #[Test]
    #[TestWith([['--keep' => '0'], '--keep'])]
    #[TestWith([['--keep' => 'ever'], '--keep'])]
    #[TestWith([['--data' => 'nested'], '--data'])]
    #[TestWith([['buckets' => ['nowhere']], "Bucket 'nowhere' is not declared"])]
    #[TestWith([['buckets' => ['lines']], "has the sink 'file'"])]
    #[TestWith([[], 'No bucket is declared whose sink is elasticsearch or clickhouse'])]
    public function wrong_usage_is_explained(array $input, string $message): void
    {
        $this->spool->buckets = ['lines' => ['sink' => 'file', 'path' => $this->spool->file('lines')]];
        [$exit, $out] = $this->install($input);

        self::assertSame(2, $exit);
        self::assertStringContainsString($message, $out);
    }

    #[Test]
    public function json_says_the_same(): void
    {
        $server = $this->openSearch();
        [$exit, $out] = $this->install(['--json' => true, '--dry-run' => true]);
        $document = json_decode($out, true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(0, $exit);
        self::assertSame([false, true, 'events', null], [Dug::out($document, 'installed'), Dug::out($document, 'dry'), Dug::out($document, 'buckets', 0, 'bucket'), Dug::out($document, 'buckets', 0, 'failure')]);
        self::assertSame(['wanted', 'wanted', null], array_map(static fn (int $step): mixed => Dug::out($document, 'buckets', 0, 'steps', $step, 'state'), [0, 1, 2]));
        self::assertNotSame('', $server->url);
    }

    private function openSearch(?string $index = null): OpenSearchServer
    {
        $server = OpenSearchServer::get();
        $this->spool->buckets = ['events' => ['sink' => 'elasticsearch', 'url' => $server->url, 'index' => $index ?? $this->name]];

        return $server;
    }

    private function cleanUp(OpenSearchServer $server): void
    {
        $server->ask('DELETE', "/_data_stream/{$this->name}");
        $server->ask('DELETE', "/_index_template/headroom-{$this->name}");
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, string}
     */
    private function install(array $input = []): array
    {
        $tester = new CommandTester(new InstallCommand($this->spool->runtime()));

        return [$tester->execute($input), $tester->getDisplay()];
    }
}
