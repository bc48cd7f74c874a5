<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Ports;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\InstallsSinks;
use Headroom\Tests\Support\ClickHouse\ClickHouseServer;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * collect:install against a real ClickHouse, a scripted Elasticsearch, and no server at all.
 */
#[Group('snapshot')]
final class CollectInstallTest extends TestCase
{
    use InstallsSinks;

    #[Test]
    #[TestWith([
        '{"version":{"number":"2.19.1","distribution":"opensearch"}}',
        '/_plugins/_ism/policies/headroom-NAME',
        '"min_index_age":"30d"',
        null,
    ])]
    #[TestWith([
        '{"version":{"number":"8.10.2"}}',
        '/_ilm/policy/headroom-NAME',
        '"min_age":"30d"',
        '"lifecycle":{"name":"headroom-NAME"}',
    ])]
    #[TestWith(['{"version":{"number":"9.1.0"}}', null, '', '"lifecycle":{"data_retention":"30d"}'])]
    public function retention_is_made_in_the_way_of_each_server(
        string $version,
        ?string $policy,
        string $age,
        ?string $named,
    ): void {
        $server = ScriptedServer::start();
        $answer = static fn (int $status, string $body = '{}')
            => $server->next(['status' => $status, 'body' => $body, 'keeps' => false]);
        $answer(200, $version);

        if ($policy !== null) {
            $answer(404);
            $answer(404);
            $answer(201);
        }

        array_map($answer, [404, 200, 404, 404, 200]);

        try {
            $this->spool->buckets = ['events' => [
                'sink' => 'elasticsearch',
                'url' => "http://127.0.0.1:{$server->port}",
                'index' => $this->name,
                'auth' => ['bearer' => 'sesame'],
            ]];
            [$exit, $out] = $this->install(['--keep' => '30']);
            self::assertSame(0, $exit, $out);
            $put = [];

            foreach ($server->requests() as $request) {
                self::assertSame('Bearer sesame', $request->headers['authorization']);
                $put += $request->method === 'PUT' ? [$request->path => $request->body] : [];
            }

            self::assertSame(
                [
                    ...$policy === null ? [] : [str_replace('NAME', $this->name, $policy)],
                    "/_index_template/headroom-{$this->name}",
                    "/_data_stream/{$this->name}",
                ],
                array_keys($put),
            );
            self::assertStringContainsString($age, $put[array_key_first($put)]);
            self::assertStringContainsString(
                str_replace('NAME', $this->name, $named ?? '"refresh_interval":"10s"}'),
                $put["/_index_template/headroom-{$this->name}"],
            );
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_server_that_refuses_is_told_with_the_next_step(): void
    {
        $server = ScriptedServer::start();
        $server->always([
            'status' => 403,
            'body' => '{"error":{"type":"security_exception","reason":"no permissions"}}',
            'keeps' => false,
        ]);

        try {
            $this->spool->buckets = ['events' => [
                'sink' => 'elasticsearch',
                'url' => "http://127.0.0.1:{$server->port}",
                'index' => 'events',
                'auth' => ['bearer' => 'sesame'],
            ]];
            [$exit, $out] = $this->install();
            self::assertSame(1, $exit);
            self::assertMatchesRegularExpression("/\\b403\\b.*security_exception: no permissions.*'auth'/", $out);
            Snapshot::assertPrinted('collect:install', 'a server refuses', $out);
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
            self::assertSame([0, ["made `{$table}`"]], $this->steps());
            self::assertSame([0, ["there `{$table}`"]], $this->steps());
            $this->spool->runtime()->buffer()->bucket('events')->add([
                'id' => '1',
                'source' => 's',
                'type' => 'order.placed',
                'time' => '2026-07-14T03:33:20.123456Z',
                'data' => ['total' => 1],
            ]);
            self::assertNull($this->spool->runtime()->flusher()->flush('events')->failure);
            self::assertSame(
                [['type' => 'order.placed', 'data' => '{"total":1}', 't' => '2026-07-14 03:33:20']],
                $server->rows("SELECT type, data, toString(toDateTime(time)) AS t FROM {$table} FINAL"),
            );
        } finally {
            $server->ask("DROP TABLE IF EXISTS {$table}");
        }
    }

    #[Test]
    public function a_server_that_is_not_there_has_been_sent_no_event(): void
    {
        $this->spool->buckets = ['events' => [
            'sink' => 'elasticsearch',
            'url' => 'http://127.0.0.1:'.Ports::free(),
            'index' => 'events',
        ]];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertSame([], $this->steps()[1]);
        // Without curl's words, which are those of its version.
        $words = (string) preg_replace('/Failed to connect .*?(?=\. [A-Z])/', '...', $out);
        Snapshot::assertPrinted('collect:install', 'no server answers', $words);
    }

    #[Test]
    public function a_missing_database_is_told_with_the_statement_that_makes_it(): void
    {
        $this->spool->buckets = ['events' => [
            'sink' => 'clickhouse',
            'url' => ClickHouseServer::get()->url,
            'table' => 'nowhere.events',
        ]];
        [$exit, $out] = $this->install();

        self::assertSame(1, $exit);
        self::assertStringContainsString('CREATE DATABASE', $out);
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
            self::assertStringContainsString(' id, source', $out);
            self::assertSame([1, ["differs `{$table}`"]], $this->steps());
        } finally {
            $server->ask("DROP TABLE {$table}");
        }
    }

    /** @param array<string, mixed> $input */
    #[Test]
    #[TestWith([['--keep' => '0'], '--keep'])]
    #[TestWith([['--keep' => 'ever'], '--keep'])]
    #[TestWith([['--data' => 'nested'], '--data'])]
    #[TestWith([['buckets' => ['nowhere']], "'nowhere'"])]
    #[TestWith([['buckets' => ['lines']], "'file'"])]
    #[TestWith([[], 'elasticsearch'])]
    public function wrong_usage_is_explained(array $input, string $named): void
    {
        $this->spool->buckets = ['lines' => ['sink' => 'file', 'path' => $this->spool->file('lines')]];
        [$exit, $out] = $this->install($input);

        self::assertSame(2, $exit);
        self::assertStringContainsString($named, $out);
        Snapshot::assertPrinted('collect:install', 'wrong usage: '.json_encode($input), $out);
    }
}
